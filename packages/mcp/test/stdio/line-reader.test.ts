import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { LineReader } from '../../src/stdio/line-reader.js';

function read(reader: LineReader, chunks: readonly Buffer[]): string[] {
  return chunks.flatMap((chunk) => [...reader.push(chunk)].map((line) => line.toString('latin1')));
}

test('LineReader.push() yields the same lines however the bytes are cut', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 60 }),
      fc.array(fc.nat({ max: 60 }), { maxLength: 8 }),
      (bytes, cuts) => {
        const whole = Buffer.from(bytes.map((byte) => (byte % 5 === 0 ? 0x0a : byte)));
        const edges = [0, ...cuts.map((cut) => Math.min(cut, whole.length)), whole.length].sort(
          (a, b) => a - b,
        );
        const chunks = edges.slice(1).map((edge, i) => whole.subarray(edges[i], edge));
        const expected = whole.toString('latin1').split('\n').slice(0, -1);
        expect(read(new LineReader(1000), chunks)).toEqual(expected);
      },
    ),
  );
});

test('LineReader.push() takes a line of exactly the limit and refuses one byte more', () => {
  expect(read(new LineReader(4), [Buffer.from('abcd\n')])).toEqual(['abcd']);
  expect(read(new LineReader(4), [Buffer.from('ab'), Buffer.from('cd\n')])).toEqual(['abcd']);
  expect(() => read(new LineReader(4), [Buffer.from('abcde\n')])).toThrow(/exceeds 4 bytes/);
  expect(() => read(new LineReader(4), [Buffer.from('abc'), Buffer.from('de')])).toThrow(/exceeds 4 bytes/);
});

test('LineReader.push() yields the lines before one that is too long', () => {
  const lines: string[] = [];
  expect(() => {
    for (const line of new LineReader(4).push(Buffer.from('ok\ntoolong\n'))) lines.push(String(line));
  }).toThrow(expect.objectContaining({ code: 'line-too-long' }));
  expect(lines).toEqual(['ok']);
});
