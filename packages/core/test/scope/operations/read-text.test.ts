import * as fc from 'fast-check';
import { readFileSync, truncateSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { CHUNK_SIZE } from '../../../src/scope/operations/file-reader.js';
import { DEFAULT_MAX_BYTES } from '../../../src/scope/operations/read-text.js';
import { Scope } from '../../../src/scope/scope.js';
import { codeOf, platforms, refusalOf, rootAt, scopeOf, useTree } from '../fixture.js';

const tree = useTree();

describe.each(platforms)('Scope.readText() on the %s platform', (_name, platform) => {
  const scope = (): Scope => scopeOf(tree().inside, { platform });

  test('returns a whole file with its size', async () => {
    tree().make({ 'a.txt': 'grüße\r\nend' });
    expect(await scope().readText('a.txt')).toEqual({
      text: 'grüße\r\nend',
      size: 12,
      bom: false,
      truncated: false,
    });
  });

  test('returns an empty file as empty text', async () => {
    tree().make({ 'a.txt': '' });
    expect((await scope().readText('a.txt')).text).toBe('');
    expect((await scope().readText('a.txt', { tail: 3 })).text).toBe('');
    expect((await scope().readText('a.txt', { offset: 2, limit: 3 })).text).toBe('');
  });

  test('follows a link that stays inside and refuses one that leads out', async () => {
    tree().make({ 'a.txt': 'inside' });
    tree().make({ 'b.txt': 'outside' }, tree().outside);
    tree().link('good', 'a.txt');
    tree().link('bad', tree().out('b.txt'));
    expect((await scope().readText('good')).text).toBe('inside');
    expect(await codeOf(scope().readText('bad'))).toBe('outside-roots');
  });

  test('reads a single-file root and not its neighbour', async () => {
    tree().make({ 'a.txt': 'mine', 'b.txt': 'not mine' });
    const one = new Scope({ roots: [rootAt(tree().in('a.txt'), { kind: 'file' })], platform });
    expect((await one.readText(tree().in('a.txt'))).text).toBe('mine');
    expect(await codeOf(one.readText(tree().in('b.txt')))).toBe('outside-roots');
  });

  test('refuses a folder', async () => {
    tree().make({ sub: {} });
    expect(await codeOf(scope().readText('sub'))).toBe('not-a-file');
  });
});

const lineChoice = fc.array(
  fc.tuple(fc.string({ unit: 'grapheme', maxLength: 6 }), fc.constantFrom('\n', '\r\n')),
  { maxLength: 30 },
);

test('Scope.readText() gives the file back when its pages are put together', async () => {
  const scope = scopeOf(tree().inside);
  await fc.assert(
    fc.asyncProperty(
      lineChoice,
      fc.string({ unit: 'grapheme', maxLength: 6 }),
      fc.integer({ min: 1, max: 7 }),
      async (lines, last, limit) => {
        // A leading mark of byte order is not part of the text, so it would not come back.
        const text = (lines.map(([line, end]) => line + end).join('') + last).replace(/^\uFEFF+/, '');
        tree().make({ 'pages.txt': text });
        const pages: string[] = [];
        for (let offset = 0; ; offset += limit) {
          const page = await scope.readText('pages.txt', { offset, limit });
          if (page.text === '') break;
          pages.push(page.text);
        }
        expect(pages.join('')).toBe(text);
      },
    ),
    { numRuns: 60 },
  );
});

test('Scope.readText() keeps CRLF and a missing final newline as they are', async () => {
  tree().make({ 'a.txt': 'one\r\ntwo\r\nthree' });
  const scope = scopeOf(tree().inside);
  expect((await scope.readText('a.txt', { head: 1 })).text).toBe('one\r\n');
  expect((await scope.readText('a.txt', { tail: 1 })).text).toBe('three');
  expect((await scope.readText('a.txt', { offset: 1 })).text).toBe('two\r\nthree');
  expect((await scope.readText('a.txt', { limit: 2 })).text).toBe('one\r\ntwo\r\n');
});

test('Scope.readText() returns nothing for zero lines and for an offset past the end', async () => {
  tree().make({ 'a.txt': 'one\ntwo\n' });
  const scope = scopeOf(tree().inside);
  for (const options of [{ head: 0 }, { tail: 0 }, { limit: 0 }, { offset: 2 }, { offset: 99, limit: 1 }]) {
    expect((await scope.readText('a.txt', options)).text).toBe('');
  }
});

test('Scope.readText() tells a byte order mark and leaves it out of the text', async () => {
  tree().make({ 'a.txt': '\uFEFFone\ntwo\n' });
  const scope = scopeOf(tree().inside);
  expect(await scope.readText('a.txt')).toMatchObject({ text: 'one\ntwo\n', bom: true });
  expect(await scope.readText('a.txt', { head: 1 })).toMatchObject({ text: 'one\n', bom: true });
  expect(await scope.readText('a.txt', { tail: 1 })).toMatchObject({ text: 'two\n', bom: false });
});

test('Scope.readText() refuses a whole file above the cap and says what to do', async () => {
  tree().make({ 'big.txt': '' });
  truncateSync(tree().in('big.txt'), DEFAULT_MAX_BYTES + 1);
  const refusal = await refusalOf(scopeOf(tree().inside).readText('big.txt'));
  expect(refusal.code).toBe('too-large');
  expect(refusal.message).toContain(String(DEFAULT_MAX_BYTES + 1));
  expect(refusal.instruction).toContain('tail');
});

test('Scope.readText() reads a file of exactly the cap', async () => {
  tree().make({ 'a.txt': '0123456789' });
  const scope = scopeOf(tree().inside);
  expect((await scope.readText('a.txt', { maxBytes: 10 })).truncated).toBe(false);
  expect(await codeOf(scope.readText('a.txt', { maxBytes: 9 }))).toBe('too-large');
});

test('Scope.readText() cuts a range at the cap without splitting a character', async () => {
  const text = 'aä€🙂'.repeat(4);
  tree().make({ 'a.txt': text });
  const scope = scopeOf(tree().inside);
  const size = Buffer.byteLength(text);
  for (let maxBytes = 0; maxBytes < size; maxBytes++) {
    const head = await scope.readText('a.txt', { head: 1, maxBytes });
    const tail = await scope.readText('a.txt', { tail: 1, maxBytes });
    expect(head.truncated && tail.truncated).toBe(true);
    expect(text.startsWith(head.text)).toBe(true);
    expect(text.endsWith(tail.text)).toBe(true);
    // The longest character has four bytes, so at most three are given up.
    for (const part of [head.text, tail.text]) {
      expect(Buffer.byteLength(part)).toBeLessThanOrEqual(maxBytes);
      expect(Buffer.byteLength(part)).toBeGreaterThan(maxBytes - 4);
    }
  }
});

test('Scope.readText() keeps characters whole that lie across the border of two chunks', async () => {
  const scope = scopeOf(tree().inside);
  for (const character of ['ä', '€', '🙂']) {
    for (let before = 1; before < Buffer.byteLength(character); before++) {
      const text = `${'x'.repeat(CHUNK_SIZE - before)}${character}\nlast`;
      tree().make({ 'a.txt': text });
      expect((await scope.readText('a.txt')).text === text).toBe(true);
      expect((await scope.readText('a.txt', { head: 1 })).text.endsWith(`x${character}\n`)).toBe(true);
    }
  }
});

test('Scope.readText() returns the end of one huge line as the tail, cut to the cap', async () => {
  tree().make({ 'line.txt': `${'x'.repeat(20 * 1024 * 1024)}end` });
  const reading = await scopeOf(tree().inside).readText('line.txt', { tail: 1, maxBytes: 1000 });
  expect(reading.truncated).toBe(true);
  expect(reading.text).toBe(`${'x'.repeat(997)}end`);
});

test.each([
  ['Latin-1', Buffer.from('grüße', 'latin1')],
  ['UTF-16', Buffer.from('\uFEFFtext', 'utf16le')],
  ['a cut character at the end', Buffer.from([0x61, 0xe2, 0x82])],
  ['an overlong form', Buffer.from([0xc0, 0xaf])],
  ['half a surrogate pair', Buffer.from([0xed, 0xa0, 0x80])],
])('Scope.readText() refuses %s and leaves the file as it is', async (_name, bytes) => {
  tree().make({ 'a.txt': bytes });
  const scope = scopeOf(tree().inside);
  for (const options of [{}, { head: 1 }, { tail: 1 }, { offset: 0, limit: 5 }]) {
    expect(await codeOf(scope.readText('a.txt', options))).toBe('not-text');
  }
  expect(readFileSync(tree().in('a.txt')).equals(bytes)).toBe(true);
});

test('Scope.readText() refuses options that are no counts, and more than one way to choose lines', async () => {
  tree().make({ 'a.txt': 'text' });
  const scope = scopeOf(tree().inside);
  for (const options of [
    { head: -1 },
    { tail: 1.5 },
    { offset: Number.NaN },
    { maxBytes: -1 },
    { head: 1, tail: 1 },
    { head: 1, offset: 0 },
    { tail: 1, limit: 1 },
  ]) {
    expect(await codeOf(scope.readText('a.txt', options))).toBe('invalid-option');
  }
});

test('Scope.readText() stops with the reason of its signal', async () => {
  tree().make({ 'a.txt': '' });
  truncateSync(tree().in('a.txt'), DEFAULT_MAX_BYTES);
  const scope = scopeOf(tree().inside);
  const reason = new Error('enough');
  await expect(scope.readText('a.txt', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  const controller = new AbortController();
  const reading = scope.readText('a.txt', { tail: 1, signal: controller.signal });
  controller.abort(reason);
  await expect(reading).rejects.toBe(reason);
});

test('maxBytes may be Infinity, for text and for bytes', async () => {
  tree().make({ 'a.txt': 'text' });
  const scope = scopeOf(tree().inside);
  const maxBytes = Number.POSITIVE_INFINITY;
  expect((await scope.readText('a.txt', { maxBytes })).text).toBe('text');
  expect((await scope.readText('a.txt', { maxBytes, tail: 1 })).text).toBe('text');
  expect((await scope.readBytes('a.txt', { maxBytes })).size).toBe(4);
});
