import { describe, expect, test } from 'vitest';
import { truncateSync } from 'node:fs';
import { CHUNK_SIZE } from '../../../src/scope/operations/file-reader.js';
import { DEFAULT_MAX_BYTES } from '../../../src/scope/operations/read-text.js';
import type { Scope } from '../../../src/scope/scope.js';
import { codeOf, platforms, refusalOf, scopeOf, useTree } from '../fixture.js';

const tree = useTree();
const ALL_BYTES = Uint8Array.from({ length: 256 }, (_, index) => index);

describe.each(platforms)('Scope.readBytes() on the %s platform', (_name, platform) => {
  const scope = (): Scope => scopeOf(tree().inside, { platform });

  test('returns any bytes as they are', async () => {
    tree().make({ 'a.bin': ALL_BYTES });
    const reading = await scope().readBytes('a.bin');
    expect(reading.size).toBe(256);
    expect([...reading.bytes]).toEqual([...ALL_BYTES]);
  });

  test('returns the part that was asked for, as far as the file has it', async () => {
    tree().make({ 'a.bin': ALL_BYTES });
    expect([...(await scope().readBytes('a.bin', { offset: 10, length: 3 })).bytes]).toEqual([10, 11, 12]);
    expect([...(await scope().readBytes('a.bin', { offset: 254 })).bytes]).toEqual([254, 255]);
    expect([...(await scope().readBytes('a.bin', { offset: 254, length: 99 })).bytes]).toEqual([254, 255]);
    expect((await scope().readBytes('a.bin', { offset: 300 })).bytes).toHaveLength(0);
    expect((await scope().readBytes('a.bin', { length: 0 })).bytes).toHaveLength(0);
  });

  test('refuses a link that leads out, a folder and a missing file', async () => {
    tree().make({ 'b.bin': 'outside' }, tree().outside);
    tree().link('bad', tree().out('b.bin'));
    expect(await codeOf(scope().readBytes('bad'))).toBe('outside-roots');
    expect(await codeOf(scope().readBytes('.'))).toBe('not-a-file');
    expect(await codeOf(scope().readBytes('none'))).toBe('not-found');
  });
});

test('Scope.readBytes() puts a file of several chunks together', async () => {
  const bytes = Buffer.alloc(CHUNK_SIZE * 3 + 1, 'abcdefg');
  tree().make({ 'a.bin': bytes });
  const reading = await scopeOf(tree().inside).readBytes('a.bin');
  expect(bytes.equals(reading.bytes)).toBe(true);
});

test('Scope.readBytes() refuses more than the cap, whole or part, and says what to do', async () => {
  tree().make({ 'a.bin': '' });
  truncateSync(tree().in('a.bin'), DEFAULT_MAX_BYTES + 1);
  const scope = scopeOf(tree().inside);
  const refusal = await refusalOf(scope.readBytes('a.bin'));
  expect(refusal.code).toBe('too-large');
  expect(refusal.instruction).toContain('offset');
  expect(await codeOf(scope.readBytes('a.bin', { length: 11, maxBytes: 10 }))).toBe('too-large');
  expect((await scope.readBytes('a.bin', { length: 10, maxBytes: 10 })).bytes).toHaveLength(10);
});

test('Scope.readBytes() refuses options that are no counts', async () => {
  tree().make({ 'a.bin': 'x' });
  const scope = scopeOf(tree().inside);
  for (const options of [{ offset: -1 }, { length: 0.5 }, { maxBytes: Number.NaN }]) {
    expect(await codeOf(scope.readBytes('a.bin', options))).toBe('invalid-option');
  }
});

test('Scope.readBytes() stops with the reason of its signal', async () => {
  tree().make({ 'a.bin': '' });
  truncateSync(tree().in('a.bin'), DEFAULT_MAX_BYTES);
  const controller = new AbortController();
  const reading = scopeOf(tree().inside).readBytes('a.bin', { signal: controller.signal });
  const reason = new Error('enough');
  controller.abort(reason);
  await expect(reading).rejects.toBe(reason);
});
