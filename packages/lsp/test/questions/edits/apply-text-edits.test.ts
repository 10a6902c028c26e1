import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { applyTextEdits } from '../../../src/questions/edits/apply-text-edits.js';

function at(line: number, from: number, to: number, newText: string) {
  return { range: { start: { line, character: from }, end: { line, character: to } }, newText };
}

test('applyTextEdits() keeps line ends and takes all edits in terms of the text before', () => {
  const text = 'one two\r\none\nö😀 one\n';
  const edits = [at(2, 4, 7, '1'), at(0, 0, 3, 'first'), at(1, 0, 3, '')];
  expect(applyTextEdits(text, edits)).toBe('first two\r\n\nö😀 1\n');
});

test('applyTextEdits() takes a character beyond a line for the end of that line', () => {
  expect(applyTextEdits('one\r\ntwo\n', [at(0, 0, 99, '1')])).toBe('1\r\ntwo\n');
  expect(applyTextEdits('one\ntwo', [at(0, 99, 99, '!'), at(1, 99, 99, '!'), at(7, 0, 0, '?')])).toBe(
    'one!\ntwo!?',
  );
});

test('applyTextEdits() refuses edits that overlap', () => {
  expect(() => applyTextEdits('abcdef', [at(0, 0, 3, 'x'), at(0, 2, 4, 'y')])).toThrow(/overlap/);
});

test('applyTextEdits() with every word replaced by itself changes nothing', () => {
  fc.assert(
    fc.property(fc.array(fc.string(), { minLength: 1 }), fc.constantFrom('\n', '\r\n'), (lines, end) => {
      const plain = lines.map((line) => line.replaceAll(/[\r\n]/g, ' '));
      const edits = plain.map((line, index) => at(index, 0, line.length, line));
      expect(applyTextEdits(plain.join(end), edits)).toBe(plain.join(end));
    }),
  );
});
