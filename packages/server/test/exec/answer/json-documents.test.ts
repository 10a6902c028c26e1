import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findDocuments } from '../../../src/exec/answer/json-documents.js';
import { KeptTail } from '../../../src/exec/run/run-process.js';

describe('findDocuments()', () => {
  test('finds every object that starts a line, among any other text', () => {
    fc.assert(
      fc.property(fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { maxLength: 6 }), (objects) => {
        const values = objects.map((object) => JSON.parse(JSON.stringify(object)) as unknown);
        const text = values
          .map((value, n) => `note ${n}\n${JSON.stringify(value, undefined, n % 3)}\n`)
          .join('');
        expect(findDocuments(text)).toEqual(values);
      }),
    );
  });

  test('takes documents without a break between them, and passes over what never closes', () => {
    expect(findDocuments('{"a":1}{"b":2}\n{ open\n{"c":"}"}')).toEqual([{ a: 1 }, { b: 2 }, { c: '}' }]);
    expect(findDocuments('{\n'.repeat(1_000_000))).toEqual([]);
    expect(findDocuments('{\n'.repeat(500_000) + '}\n'.repeat(500_000))).toEqual([]);
  });
});

test('KeptTail keeps the last whole lines that fit', () => {
  const tail = new KeptTail(10);
  tail.push(Buffer.from('short'));
  expect(tail.text()).toBe('short');
  tail.push(Buffer.from(' line\nsecond\n'));
  expect(tail.text()).toBe('second');
});
