import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { ChannelReader } from '../../../src/exec/run/channel-reader.js';

const TAG = 'a1b2';

interface Taken {
  readonly lines: string[];
  readonly text: string;
}

function takeApart(chunks: readonly Buffer[]): Taken {
  const lines: string[] = [];
  const text: Buffer[] = [];
  const reader = new ChannelReader(
    TAG,
    (line) => lines.push(line),
    (bytes) => text.push(bytes),
  );
  for (const chunk of chunks) reader.push(chunk);
  reader.end();
  return { lines, text: Buffer.concat(text).toString() };
}

function cut(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length]!;
    chunks.push(bytes.subarray(at, at + size));
    at += size;
  }
  return chunks;
}

test('ChannelReader tells lines from text, however the bytes are cut, and drops endless lines', () => {
  const line = fc
    .oneof(fc.string(), fc.constant('x'.repeat(70_000)))
    .map((value) => ({ line: value.replaceAll('\n', ' ') }));
  // Text may hold the separator, and the start of a mark, as long as it holds no mark.
  const text = fc
    .oneof(fc.string(), fc.constantFrom('\x1e', '\x1ea1b', 'not the end\n', '\x1ea1b\x1e'))
    .map((value) => ({ text: `${value}.` }));
  fc.assert(
    fc.property(
      fc.array(fc.oneof(line, text), { maxLength: 8 }),
      fc.array(fc.integer({ min: 1, max: 9000 }), { minLength: 1 }),
      (pieces, sizes) => {
        const bytes = pieces.map((piece) => ('line' in piece ? `\x1e${TAG}${piece.line}\n` : piece.text));
        const taken = takeApart(cut(Buffer.from(bytes.join('')), sizes));
        const lines = pieces.flatMap((piece) => ('line' in piece ? [piece.line] : []));
        expect(taken.lines).toEqual(lines.filter((each) => each.length < 65_536));
        expect(taken.text).toBe(pieces.map((piece) => ('text' in piece ? piece.text : '')).join(''));
      },
    ),
  );
});

test('ChannelReader takes the marks of another for text', () => {
  expect(takeApart([Buffer.from('\x1effff{}\n')])).toEqual({ lines: [], text: '\x1effff{}\n' });
});

test('ChannelReader gives back the start of a line that never ended', () => {
  expect(takeApart([Buffer.from(`text \x1e${TAG}{"half`)])).toEqual({
    lines: [],
    text: `text \x1e${TAG}{"half`,
  });
});
