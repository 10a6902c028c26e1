import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineSplitter } from '../../src/platform/line-splitter.js';

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

/** The lines of a stream in which each may be a message. */
function read(chunks: readonly Buffer[]): string[] {
  const lines: string[] = [];
  const splitter = new LineSplitter({ line: (bytes) => lines.push(bytes.toString('latin1').trim()) }, 1000);
  for (const chunk of chunks) splitter.push(chunk);
  splitter.end();
  return lines;
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

  it('takes every line for a message where nobody wants noise', () => {
    const bytes = fc.uint8Array({ maxLength: 60 });
    fc.assert(
      fc.property(bytes, fc.array(fc.nat({ max: 60 }), { maxLength: 8 }), (given, cuts) => {
        const whole = Buffer.from(given.map((byte) => (byte % 5 === 0 ? 0x0a : byte)));
        const edges = [0, ...cuts.map((cut) => Math.min(cut, whole.length)), whole.length];
        edges.sort((one, other) => one - other);
        const chunks = edges.slice(1).map((edge, index) => whole.subarray(edges[index], edge));
        const expected = whole.toString('latin1').split('\n').slice(0, -1);
        expect(read(chunks).filter(Boolean)).toEqual(expected.map((line) => line.trim()).filter(Boolean));
      }),
    );
  });

  it('takes a line of exactly the limit, and says at once that one has a byte more', () => {
    const told: string[] = [];
    const sink = {
      line: (bytes: Buffer) => told.push(bytes.toString()),
      exceeded: () => told.push('exceeded'),
    };
    const splitter = new LineSplitter(sink, 4);
    for (const chunk of ['abcd\nab', 'cd\nok\nabcde', 'fgh\n{"a\n{"abc\nend\n'])
      splitter.push(Buffer.from(chunk));
    expect(told).toEqual(['abcd', 'abcd', 'ok', 'exceeded', '{"a', 'exceeded', 'end']);
  });

  it('keeps the ends of a line that is too long, and goes on after it', () => {
    const long = `{"result":"${'x'.repeat(3000)}","id":5}`;
    const found = split([Buffer.from(long.slice(0, 900)), Buffer.from(`${long.slice(900)}\n{"b":1}\n`)]);
    expect(found.lines).toEqual(['{"b":1}']);
    expect(found.ends).toEqual([long.slice(0, 256), long.slice(-256)]);
  });
});
