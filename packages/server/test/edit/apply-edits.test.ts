import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyEdits } from '../../src/edit/apply-edits.js';

const apply = (text: string, ...edits: [string, string][]): string => {
  const work = applyEdits(
    'f',
    text,
    edits.map(([oldText, newText]) => ({ oldText, newText })),
  );
  let step = work.next();
  while (step.done !== true) step = work.next();
  return step.value;
};

test('applyEdits() replaces the one place that matches, and takes newText as it is', () => {
  expect(apply('one two three', ['two', "$& $1 $' 2"])).toBe("one $& $1 $' 2 three");
});

test('applyEdits() applies edits in order, each to the outcome of the one before', () => {
  expect(apply('a', ['a', 'b'], ['b', 'c\nd'], ['d', 'e'])).toBe('c\ne');
});

test('applyEdits() refuses an empty oldText', () => {
  expect(() => apply('a', ['', 'x'])).toThrow(
    expect.objectContaining({
      code: 'invalid-option',
      message: 'Cannot edit "f": oldText of the edit is empty',
    }),
  );
});

test('applyEdits() refuses an ambiguous match and says how often and where it matches', () => {
  expect(() => apply('x\ny\nx\n\nx', ['y', 'z'], ['x', 'z'])).toThrow(
    expect.objectContaining({
      code: 'ambiguous',
      message: 'Cannot edit "f": the text of edit 2 of 2 matches 3 times, on lines 1, 3, 5',
    }),
  );
  expect(() => apply('aaa', ['aa', 'b'])).toThrow(/matches 2 times, on line 1$/);
  expect(() => apply('x\n'.repeat(12), ['x', 'y'])).toThrow(
    /matches more than 10 times, on lines 1, .*, 10 and more$/,
  );
});

test('applyEdits() refuses a text that is not there', () => {
  expect(() => apply('a', ['b', 'c'])).toThrow(
    expect.objectContaining({ code: 'not-found', message: expect.stringContaining('could not find') }),
  );
});

describe('where nothing matches exactly', () => {
  test('whole lines may differ in their outer white space, and the indentation stays', () => {
    const text = 'if (x) {\n    one();\n    two();\n}\n';
    expect(apply(text, ['one();\ntwo();', 'three();\nfour();'])).toBe(
      'if (x) {\n    three();\n    four();\n}\n',
    );
    expect(apply(text, ['  one();\n  two();', '  three();\n    four();'])).toBe(
      'if (x) {\n    three();\n      four();\n}\n',
    );
  });

  test('every new line gets the indentation of the file, whatever that of the edit is', () => {
    const python = 'class A:\n    def f(self):\n        return 1\n';
    expect(
      apply(python, ['def f(self):\n    return 1', 'def f(self):\n    x = 2\n\n    if x:\n        return x']),
    ).toBe('class A:\n    def f(self):\n        x = 2\n\n        if x:\n            return x\n');
    expect(
      apply('\tif (x) {\n\t\ty();\n\t}\n', ['if (x) {\n  y();\n}', 'if (x) {\n  z();\n  w();\n}\nv();']),
    ).toBe('\tif (x) {\n\t\tz();\n\t\tw();\n\t}\n\tv();\n');
    expect(apply('        a\n        b\n', ['    a \n    b', '    a\n  c'])).toBe('        a\n      c\n');
  });

  test('two places that differ in white space only are ambiguous', () => {
    expect(() => apply('  a\n    a\n', ['\ta', 'b'])).toThrow(/matches 2 times, on lines 1, 2/);
  });

  test('the right one of several places is found, also after lines that are nearly the same', () => {
    expect(apply('  a\n a\n  a\n b\n', ['a\n\ta\nb', 'x'])).toBe('  a\n x\n');
    expect(apply(' a\n  b', [' b', 'c'])).toBe(' a\n c');
    expect(apply('ab\n  b \nbc', ['b  ', 'd'])).toBe('ab\n  d\nbc');
  });

  test('blank lines match nothing', () => {
    expect(() => apply('a\n\nb', [' \n ', 'x'])).toThrow(/could not find/);
  });
});

describe('line endings', () => {
  test('are those of the file, whatever those of the edit are', () => {
    expect(apply('a\r\nb\r\nc', ['a\nb', 'x\ny\nz'])).toBe('x\r\ny\r\nz\r\nc');
    expect(apply('a\nb\nc', ['a\r\nb', 'x\r\ny'])).toBe('x\ny\nc');
    expect(apply('a\r\nb', ['b', 'x\ny'])).toBe('a\r\nx\r\ny');
  });

  test('outside of the edit stay as they are in a file that mixes them', () => {
    expect(apply('a\r\nb\nc\r\nd\n', ['b\n', 'x\ny\n'])).toBe('a\r\nx\ny\nc\r\nd\n');
    expect(apply('a\r\nb\nc\r\nd\n', ['c\n', 'x\ny\n'])).toBe('a\r\nb\nx\r\ny\r\nd\n');
  });

  test('at the end are neither added nor lost', () => {
    expect(apply('a\nb', ['b', 'c'])).toBe('a\nc');
    expect(apply('a\r\nb\r\n', ['b', 'c'])).toBe('a\r\nc\r\n');
  });

  test('survive any edit, and so does everything outside of it', () => {
    const line = fc.stringMatching(/^[a-z]{0,3}$/);
    const ending = fc.constantFrom('\n', '\r\n');
    const piece = fc.array(fc.tuple(line, ending), { maxLength: 5 }).map((lines) => lines.flat().join(''));
    fc.assert(
      fc.property(piece, piece, (before, after) => {
        expect(apply(`${before}MARK${after}`, ['MARK', 'NEW'])).toBe(`${before}NEW${after}`);
      }),
    );
  });
});
