import { RootwardError } from '@rootward/core';
import { expect, test } from 'vitest';
import { RootwardMcpError } from '../../src/error.js';
import { failedToolResult, reportError, rpcCode } from '../../src/context/error-report.js';

test('reportError() keeps the instruction of an error, and gives one to an error without', () => {
  const own = new RootwardError('no-project', 'None', { instruction: 'Call switch_project' });
  expect(reportError(own)).toEqual({
    error_type: 'no_project',
    message: 'None',
    instruction: 'Call switch_project',
  });
  expect(reportError(new RootwardError('not-found', 'Gone'))?.instruction).toContain('List the directory');
  expect(reportError(new RootwardError('not-a-file', 'Folder'))?.instruction).toContain('list a folder');
  expect(reportError(new RootwardError('invalid-option', 'No'))?.instruction).toContain('Tell the user');
  expect(reportError(new RootwardError('link-loop', 'Round'))?.instruction).not.toBe('');
  expect(reportError(new RootwardMcpError('invalid-handle', 'Bad'))?.error_type).toBe('invalid_handle');
});

test.each(['invalid-option', 'not-a-file', 'not-a-directory', 'not-permitted', 'unsupported-type'] as const)(
  'reportError() sends nobody to the roots for %s, which has nothing to do with them',
  (code) => {
    expect(reportError(new RootwardError(code, 'No'))?.instruction).not.toMatch(/roots/);
  },
);

test('reportError() leaves the errors of others alone', () => {
  expect(reportError(new Error('boom'))).toBeUndefined();
  expect(reportError('boom')).toBeUndefined();
});

test('failedToolResult() tells people, models and programs', () => {
  const report = { error_type: 'io', message: 'Cannot read', instruction: 'Try again' };
  expect(failedToolResult(report, false)).toEqual({
    content: [{ type: 'text', text: 'Cannot read\nTry again' }],
    isError: true,
    structuredContent: report,
    _meta: { 'rootward/error': report },
  });
  expect(failedToolResult(report, true)).not.toHaveProperty('structuredContent');
});

test('rpcCode() blames the caller for what the caller can change', () => {
  const report = { message: '', instruction: '' };
  expect(rpcCode({ ...report, error_type: 'outside_roots' })).toBe(-32_602);
  expect(rpcCode({ ...report, error_type: 'io' })).toBe(-32_603);
});
