import { expect, test } from 'vitest';
import { dataResult, textResult } from '../../../src/tools/framework/results.js';

const MEGABYTE = 1024 * 1024;

test('textResult() refuses a text that no client could take, as it is sent', () => {
  expect(textResult('x'.repeat(9 * MEGABYTE)).content).toHaveLength(1);
  expect(() => textResult('"'.repeat(6 * MEGABYTE))).toThrow(/^Cannot send the answer/);
});

test('dataResult() counts the data and the text', () => {
  const text = 'x'.repeat(6 * MEGABYTE);
  expect(dataResult({ text: 'x' }, text)).toMatchObject({ structuredContent: { text: 'x' } });
  expect(() => dataResult({ text }, text)).toThrow(/^Cannot send the answer/);
});
