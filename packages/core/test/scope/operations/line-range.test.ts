import * as fc from 'fast-check';
import { openSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CHUNK_SIZE, FileReader } from '../../../src/scope/operations/file-reader.js';
import { findLines, findTail, type ByteRange } from '../../../src/scope/operations/line-range.js';
import { useTree } from '../fixture.js';

const tree = useTree();

/** Counts the bytes it was asked for. */
class CountingReader extends FileReader {
  bytes = 0;

  override read(position: number, length: number): Promise<Buffer> {
    this.bytes += length;
    return super.read(position, length);
  }
}

async function reading<T>(
  text: string,
  use: (reader: CountingReader, size: number) => Promise<T>,
): Promise<T> {
  const path = tree().in('lines.txt');
  writeFileSync(path, text);
  const reader = new CountingReader(openSync(path, 'r'));
  try {
    return await use(reader, Buffer.byteLength(text));
  } finally {
    reader.close();
  }
}

function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function cut(text: string, { start, end }: ByteRange): string {
  return Buffer.from(text).toString('utf8', start, end);
}

const someText = fc
  .array(
    fc.oneof(
      fc.constantFrom('\n', '\r\n', '\r', '', 'ä', '🙂', '\uFEFF'),
      fc.string({ unit: 'grapheme', maxLength: 8 }),
      // Long enough that a few of them span more than one chunk.
      fc.integer({ min: CHUNK_SIZE - 4, max: CHUNK_SIZE + 4 }).map((length) => 'x'.repeat(length)),
    ),
    { maxLength: 24 },
  )
  .map((parts) => parts.join(''));

test('findLines() finds the lines that splitting at newlines gives', async () => {
  await fc.assert(
    fc.asyncProperty(someText, fc.nat({ max: 12 }), fc.nat({ max: 12 }), async (text, offset, limit) => {
      const range = await reading(text, (reader, size) => findLines(reader, size, offset, limit));
      expect(cut(text, range)).toBe(
        linesOf(text)
          .slice(offset, offset + limit)
          .join(''),
      );
    }),
    { numRuns: 60 },
  );
});

test('findTail() finds the lines that splitting at newlines gives', async () => {
  await fc.assert(
    fc.asyncProperty(someText, fc.nat({ max: 12 }), async (text, count) => {
      const range = await reading(text, (reader, size) => findTail(reader, size, count));
      expect(cut(text, range)).toBe(count === 0 ? '' : linesOf(text).slice(-count).join(''));
    }),
    { numRuns: 60 },
  );
});

test('findLines() without a limit goes to the end', async () => {
  const range = await reading('a\nb\nc', (reader, size) =>
    findLines(reader, size, 1, Number.POSITIVE_INFINITY),
  );
  expect(range).toEqual({ start: 2, end: 5 });
});

test.each<[string, (reader: FileReader, size: number) => Promise<ByteRange>]>([
  ['findLines() without a limit', (reader, size) => findLines(reader, size, 1, Number.POSITIVE_INFINITY)],
  ['findLines() of more than is wanted', (reader, size) => findLines(reader, size, 1, 1_000_000, 10)],
  ['findTail() of more than is wanted', (reader, size) => findTail(reader, size, 1_000_000, 10)],
])('%s reads no more of a long file than it needs', async (_, find) => {
  const bytes = await reading('line\n'.repeat(CHUNK_SIZE), async (reader, size) => {
    await find(reader, size);
    return reader.bytes;
  });
  expect(bytes).toBe(CHUNK_SIZE);
});

test('what is found of a range that is longer than wanted is longer, too, and starts or ends in the right place', async () => {
  const text = 'line\n'.repeat(CHUNK_SIZE);
  const lines = await reading(text, (reader, size) => findLines(reader, size, 3, 1_000_000, 10));
  expect(lines.start).toBe(15);
  expect(lines.end - lines.start).toBeGreaterThan(10);
  const tail = await reading(text, (reader, size) => findTail(reader, size, 1_000_000, 10));
  expect(tail.end).toBe(text.length);
  expect(tail.end - tail.start).toBeGreaterThan(10);
});

test('findLines() finds a newline that is the last or first byte of a chunk', async () => {
  const text = `${'x'.repeat(CHUNK_SIZE - 1)}\n\n${'y'.repeat(CHUNK_SIZE)}\nz`;
  const second = await reading(text, (reader, size) => findLines(reader, size, 1, 1));
  expect(second).toEqual({ start: CHUNK_SIZE, end: CHUNK_SIZE + 1 });
  const third = await reading(text, (reader, size) => findLines(reader, size, 2, 1));
  expect(cut(text, third)).toBe(`${'y'.repeat(CHUNK_SIZE)}\n`);
});

test('findTail() finds a newline at the border of the chunks it reads backwards', async () => {
  for (const length of [CHUNK_SIZE - 1, CHUNK_SIZE, CHUNK_SIZE + 1]) {
    const text = `first\n${'y'.repeat(length)}`;
    const range = await reading(text, (reader, size) => findTail(reader, size, 1));
    expect(range).toEqual({ start: 6, end: 6 + length });
  }
});

test('findTail() counts a file of newlines only as empty lines', async () => {
  expect(await reading('\n\n\n', (reader, size) => findTail(reader, size, 2))).toEqual({ start: 1, end: 3 });
  expect(await reading('\n', (reader, size) => findTail(reader, size, 1))).toEqual({ start: 0, end: 1 });
});
