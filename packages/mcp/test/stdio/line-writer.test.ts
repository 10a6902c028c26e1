import { Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { LineWriter } from '../../src/stdio/line-writer.js';

function record(failure?: Error): { readonly chunks: string[]; readonly stream: Writable } {
  const chunks: string[] = [];
  const stream = new Writable({
    decodeStrings: false,
    write: (chunk, _encoding, done) => {
      chunks.push(String(chunk));
      done(failure);
    },
  });
  stream.on('error', () => undefined);
  return { chunks, stream };
}

test('LineWriter.write() hands each line on at once', async () => {
  const { chunks, stream } = record();
  const writer = new LineWriter(stream);
  const written = writer.write('a');
  expect(chunks).toEqual(['a\n']);
  await written;
});

test('LineWriter.gather() puts the lines of one turn into one chunk, in order', async () => {
  const { chunks, stream } = record();
  const writer = new LineWriter(stream);
  writer.gather();
  const written = [writer.write('a'), Promise.resolve().then(() => writer.write('b'))];
  expect(chunks).toEqual([]);
  await Promise.all(written);
  await writer.write('c');
  expect(chunks).toEqual(['a\nb\n', 'c\n']);
});

test('LineWriter.gather() writes nothing where no line comes', async () => {
  const { chunks, stream } = record();
  new LineWriter(stream).gather();
  await nextTurn();
  expect(chunks).toEqual([]);
});

test('LineWriter.gather() does not hold back what is large', async () => {
  const { chunks, stream } = record();
  const writer = new LineWriter(stream);
  const large = 'x'.repeat(2 ** 20);
  writer.gather();
  const written = [writer.write('a'), writer.write(large), writer.write('b')];
  expect(chunks).toEqual([`a\n${large}\n`, 'b\n']);
  await Promise.all(written);
});

test('LineWriter.write() rejects for each line of a chunk that cannot be written', async () => {
  const { stream } = record(new Error('broken'));
  const writer = new LineWriter(stream);
  writer.gather();
  const outcomes = await Promise.allSettled([writer.write('a'), writer.write('b')]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});
