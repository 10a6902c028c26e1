import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineSplitter } from '../../src/wire/lines.js';

function split(
  chunks: readonly Buffer[],
  maxLineBytes = 1000,
): { lines: string[]; noise: string; ends: string[] } {
  const found = { lines: [] as string[], noise: '', ends: [] as string[] };
  const splitter = new LineSplitter(
    {
      line: (bytes) => found.lines.push(bytes.toString()),
      noise: (bytes) => (found.noise += bytes.toString()),
      tooLong: (head, tail) => found.ends.push(head.toString(), tail.toString()),
    },
    maxLineBytes,
  );
  for (const chunk of chunks) splitter.push(chunk);
  splitter.end();
  return found;
}

describe('LineSplitter', () => {
  it('finds the same lines however the bytes are cut', () => {
    const text = 'noise {"x"}\n{"a":1}\n\n  {"b":2}\r\n[1]\nmore\n{"half":';
    const whole = split([Buffer.from(text)]);
    expect(whole.lines).toEqual(['{"a":1}', '  {"b":2}\r', '[1]']);
    expect(whole.noise).toBe('noise {"x"}\nmore\n{"half":');
    fc.assert(
      fc.property(fc.array(fc.nat(text.length), { maxLength: 8 }), (cuts) => {
        const places = [0, ...cuts.sort((a, b) => a - b), text.length];
        const chunks = places.slice(1).map((end, index) => Buffer.from(text.slice(places[index], end)));
        // Blanks before a message may come on their own, and mean nothing.
        const found = split(chunks);
        expect(found.lines.map((line) => line.trim())).toEqual(whole.lines.map((line) => line.trim()));
        expect(found.noise).toBe(whole.noise);
      }),
    );
  });

  it('keeps the ends of a line that is too long, and goes on after it', () => {
    const long = `{"result":"${'x'.repeat(3000)}","id":5}`;
    const found = split([Buffer.from(long.slice(0, 900)), Buffer.from(`${long.slice(900)}\n{"b":1}\n`)]);
    expect(found.lines).toEqual(['{"b":1}']);
    expect(found.ends).toEqual([long.slice(0, 256), long.slice(-256)]);
  });
});
