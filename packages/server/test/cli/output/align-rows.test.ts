import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { alignRows, wrap } from '../../../src/cli/output/align-rows.js';
import { painter } from '../../../src/cli/output/paint.js';

const plain = painter({ colors: false });

describe('alignRows()', () => {
  test('puts cells below each other', () => {
    const rows = [
      ['a', 'one', 'x'],
      ['long', 'two', 'y'],
    ];
    expect(alignRows(rows, { paint: plain })).toBe('a     one  x\nlong  two  y\n');
  });

  test('wraps the last cell below itself', () => {
    const rows = [['key', 'some words that do not fit on one line of the display']];
    expect(alignRows(rows, { paint: plain, columns: 32, indent: '  ' })).toBe(
      '  key  some words that do not\n       fit on one line of the\n       display\n',
    );
  });

  test('leaves colours out of the count', () => {
    const rows = [
      [{ text: 'a', tone: 'good' } as const, 'x'],
      ['long', 'y'],
    ];
    const colored = alignRows(rows, { paint: painter({ colors: true }) });
    expect(colored).toBe('\u001B[32ma\u001B[39m     x\nlong  y\n');
  });

  test('shows nothing a terminal would obey', () => {
    expect(alignRows([['\u001B[2Jname', 'a\nb']], { paint: plain })).toBe(' [2Jname  a b\n');
  });

  test('makes nothing of no rows', () => {
    expect(alignRows([], { paint: plain, columns: 80 })).toBe('');
  });
});

describe('wrap()', () => {
  test('keeps every word, in order, and to the width where words allow it', () => {
    fc.assert(
      fc.property(
        fc.array(fc.stringMatching(/^[a-z]{1,30}$/), { minLength: 1 }),
        fc.integer({ min: 24, max: 100 }),
        (words, width) => {
          const lines = wrap(words.join(' '), width);
          expect(lines.join(' ').split(' ')).toEqual(words);
          expect(lines.filter((line) => line.includes(' ') && line.length > width)).toEqual([]);
        },
      ),
    );
  });
});
