import { afterEach, expect, test, vi } from 'vitest';
import { protectStdout } from '../../src/lifecycle/protect-stdout.js';

afterEach(() => {
  vi.restoreAllMocks();
});

test('protectStdout() sends what is printed to stderr, until it is disposed of', () => {
  const { log } = console;
  const written: string[] = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    written.push(String(text));
    return true;
  });
  const protection = protectStdout();
  console.log('a %s line', 'stray');
  console.info({ a: 1 });
  protection[Symbol.dispose]();
  expect(written).toEqual(['a stray line\n', '{ a: 1 }\n']);
  expect(console.log).toBe(log);
});

test.each(['log', 'info', 'debug', 'dir', 'dirxml', 'table', 'group', 'count'] as const)(
  'protectStdout() covers console.%s()',
  (method) => {
    const written: string[] = [];
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
      written.push(String(text));
      return true;
    });
    const protection = protectStdout();
    console[method](`by ${method}`);
    console.groupEnd();
    protection[Symbol.dispose]();
    expect(written.join('')).toContain(`by ${method}`);
  },
);
