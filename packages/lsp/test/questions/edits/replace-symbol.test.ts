import { expect, test } from 'vitest';
import type { SymbolAction } from '@rootward/lsp';
import { editedLines, withLines } from '../../../src/questions/edits/replace-symbol.js';
import { extentOf } from '../../../src/questions/symbols/symbol-extent.js';

const PYTHON = `import os


class Cart:
    """A cart."""

    limit = 10

    @property
    @cached(
        ttl=1,
    )
    # How much it costs.
    def total(self):
        return 1

    def count(self):
        return 2


def last():
    pass
`;
const SCRIPT = `export class Cart {
  /**
   * The sum.
   */
  total(): number {
    return 1;
  }
}

/** One. */
export const one = 1;
export const two = 2;
`;

/** Changes what stands from one line to another, counted from 1. */
function edit(text: string, [from, to]: readonly [number, number], action: SymbolAction, code = ''): string {
  const lines = text.split(/\r\n|\n/);
  const start = { line: from - 1, character: /\S/.exec(lines[from - 1]!)!.index };
  const range = { start, end: { line: to - 1, character: lines[to - 1]!.length } };
  return withLines(text, lines, editedLines(lines, extentOf(lines, range), action, code));
}

const TOTAL = [14, 15] as const;

test.each([
  ['dedented', 'def total(self):\n    return 3'],
  ['as it stands in the file', '    def total(self):\n        return 3\n'],
  ['copied without the first indentation', 'def total(self):\n        return 3'],
])('a replacement keeps indentation, comment and decorators: %s', (_, code) => {
  expect(edit(PYTHON, TOTAL, 'replace', code)).toBe(PYTHON.replace('return 1', 'return 3'));
});

test('a replacement that brings its own decorators or comment replaces those that are there', () => {
  const code = '@property\ndef total(self):\n    return 3';
  expect(edit(PYTHON, TOTAL, 'replace', code)).toBe(
    PYTHON.replace(/@property[^]*?return 1/, '@property\n    def total(self):\n        return 3'),
  );
});

test('what is put before or after a declaration has the blank lines that are usual there', () => {
  const code = 'def more(self):\n    return 3';
  const more = '    def more(self):\n        return 3\n';
  expect(edit(PYTHON, TOTAL, 'insert_before', code)).toBe(
    PYTHON.replace('    @property', `${more}\n    @property`),
  );
  expect(edit(PYTHON, TOTAL, 'insert_after', code)).toBe(
    PYTHON.replace('    def count', `${more}\n    def count`),
  );
  expect(edit(PYTHON, [21, 22], 'insert_after', 'def more():\n    pass')).toBe(
    `${PYTHON}\n\ndef more():\n    pass\n`,
  );
  expect(edit(SCRIPT, [12, 12], 'insert_after', 'export const three = 3;')).toBe(
    `${SCRIPT}export const three = 3;\n`,
  );
  expect(edit(SCRIPT, [5, 7], 'insert_after', 'count(): number {\n  return 2;\n}')).toBe(
    SCRIPT.replace('    return 1;\n  }\n', '    return 1;\n  }\n\n  count(): number {\n    return 2;\n  }\n'),
  );
});

test('a declaration is deleted with its comment and decorators, and leaves no double gap', () => {
  expect(edit(PYTHON, TOTAL, 'delete')).toBe(PYTHON.replace(/    @property[^]*?return 1\n\n/, ''));
  expect(edit(PYTHON, [21, 22], 'delete')).toBe(PYTHON.replace('\n\n\ndef last():\n    pass\n', '\n'));
  expect(edit(SCRIPT, [11, 11], 'delete')).toBe(SCRIPT.replace('/** One. */\nexport const one = 1;\n', ''));
});

test('line ends stay what they are, also where a file has several kinds', () => {
  const text = 'a = 1\r\nb = 2\r\nc = 3\nd = 4';
  expect(edit(text, [2, 2], 'replace', 'b = 5\nb2 = 6')).toBe('a = 1\r\nb = 5\r\nb2 = 6\r\nc = 3\nd = 4');
  expect(edit(text, [4, 4], 'insert_after', 'e = 5')).toBe('a = 1\r\nb = 2\r\nc = 3\nd = 4\r\ne = 5');
});

const JSON_FILE = '{\n  "name": "shop",\n  "scripts": {\n    "build": "x"\n  }\n}\n';
const ENUM = 'enum Colour {\n  Red = 1, // first\n  Blue = 2,\n}\n';

/** Changes a member of a list; its range has no comma. */
function editMember(text: string, member: string, action: SymbolAction, code = ''): string {
  const lines = text.split('\n');
  const first = lines.findIndex((line) => line.includes(member));
  const character = lines[first]!.indexOf(member);
  const end = { line: first, character: character + member.length };
  const extent = extentOf(lines, { start: { line: first, character }, end });
  return withLines(text, lines, editedLines(lines, extent, action, code));
}

test.each<[string, SymbolAction, string, string]>([
  ['"name": "shop"', 'replace', '"name": "store"', JSON_FILE.replace('shop', 'store')],
  ['"name": "shop"', 'replace', '"name": "store",', JSON_FILE.replace('shop', 'store')],
  ['"name": "shop"', 'insert_before', '"id": 1', JSON_FILE.replace('{\n', '{\n  "id": 1,\n')],
  ['"name": "shop"', 'insert_after', '"id": 1', JSON_FILE.replace('"shop",', '"shop",\n  "id": 1,')],
  ['"build": "x"', 'insert_after', '"test": "y"', JSON_FILE.replace('"x"', '"x",\n    "test": "y"')],
  ['"build": "x"', 'insert_before', '"test": "y"', JSON_FILE.replace('"build"', '"test": "y",\n    "build"')],
])('a list keeps its commas: %s, %s %s', (member, action, code, after) => {
  expect(editMember(JSON_FILE, member, action, code)).toBe(after);
});

test('a member of an enum keeps its comma', () => {
  expect(editMember(ENUM, 'Blue = 2', 'replace', 'Green = 3')).toBe(ENUM.replace('Blue = 2', 'Green = 3'));
  expect(editMember(ENUM, 'Blue = 2', 'insert_after', 'Green = 3')).toBe(
    ENUM.replace('Blue = 2,', 'Blue = 2,\n  Green = 3,'),
  );
  expect(editMember('int count;\n', 'int count', 'replace', 'long count')).toBe('long count;\n');
});
