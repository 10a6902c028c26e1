import { createRequestStateCodec, type ServerContext } from '@modelcontextprotocol/server';
import type { Root } from '@rootward/core';
import { afterEach, expect, test, vi } from 'vitest';
import { HandleCodec } from '../../src/context/handle-codec.js';

const KEY = 'k'.repeat(32);

afterEach(() => {
  vi.useRealTimers();
});

function root(path: string, more: Partial<Root> = {}): Root {
  return {
    uri: `file://${path}`,
    path,
    name: 'x',
    kind: 'directory',
    access: 'read-write',
    source: 'client',
    declared: path,
    broad: false,
    ...more,
  };
}

const nobody = '';

test('HandleCodec.verify() gives back the roots that were minted', async () => {
  const handle = new HandleCodec(KEY).mint([root('/a'), root('/b', { access: 'read-only' })], nobody);
  expect(new HandleCodec(KEY).verify(handle!, nobody).roots).toEqual([
    { path: '/a', name: 'x' },
    { path: '/b', name: 'x', access: 'read-only' },
  ]);
});

test('HandleCodec.mintForClient() holds what the client gave, not what the operator set', async () => {
  const codec = new HandleCodec(KEY);
  const handle = codec.mintForClient([root('/a'), root('/o', { source: 'flag' })], nobody);
  expect(codec.verify(handle!, nobody).roots).toMatchObject([{ path: '/a' }]);
  expect(codec.mintForClient([root('/o', { source: 'flag' })], nobody)).toBeUndefined();
  expect(codec.mintForClient([], nobody)).toBeUndefined();
});

const many = (count: number): Root[] =>
  Array.from({ length: count }, (_, i) => root(`/a/${String(i).padStart(20, '0')}`));

test('HandleCodec.mint() makes no handle above 4 KB', async () => {
  const codec = new HandleCodec(KEY);
  expect(codec.mint(many(40), nobody)!.length).toBeLessThanOrEqual(4096);
  expect(codec.mint(many(400), nobody)).toBeUndefined();
});

test.each([
  [
    'altered',
    async (handle: string) => `${handle.slice(0, 8)}${handle[8] === 'A' ? 'B' : 'A'}${handle.slice(9)}`,
  ],
  ['foreign', async () => new HandleCodec('z'.repeat(32)).mint([root('/a')], nobody)!],
  ['empty', async () => ''],
  ['nonsense', async () => 'nonsense'],
  ['a path', async () => '/etc'],
  [
    'of another purpose',
    () => createRequestStateCodec({ key: KEY, bind: () => '' }).mint({ step: 1 }, {} as ServerContext),
  ],
])('HandleCodec.verify() refuses a handle that is %s', async (_, make) => {
  const codec = new HandleCodec(KEY);
  const good = codec.mint([root('/a')], nobody)!;
  expect(codec.verify(good, nobody).roots).toHaveLength(1);
  const handle = await make(good);
  expect(() => codec.verify(handle, nobody)).toThrow(
    expect.objectContaining({
      code: 'invalid-handle',
      instruction: 'Omit `workspace`, or call workspace_info for a new one',
    }),
  );
});

/** The same signature in other letters: the last one has two bits that mean nothing, and padding is ignored. */
const respelt = (handle: string): string[] => {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const last = letters.indexOf(handle.at(-1)!);
  const others = [1, 2, 3].map((bits) => handle.slice(0, -1) + letters[last ^ bits]!);
  return [...others, `${handle}=`, `${handle}\n`, `${handle}!`];
};

test('HandleCodec.verify() refuses a handle that is spelt in another way', () => {
  const codec = new HandleCodec(KEY);
  const handle = codec.mint([root('/a')], nobody)!;
  // What was revoked is known by its text: another spelling would not be.
  for (const other of respelt(handle)) {
    expect(() => codec.verify(other, nobody)).toThrow(expect.objectContaining({ code: 'invalid-handle' }));
  }
});

test.each([
  ['another client', '["other","u1"]'],
  ['another subject', '["c","u2"]'],
  ['nobody', nobody],
])('HandleCodec.verify() refuses a handle in the hands of %s', async (_, thief) => {
  const codec = new HandleCodec(KEY);
  const handle = codec.mint([root('/a')], '["c","u1"]');
  expect(codec.verify(handle!, '["c","u1"]').roots).toHaveLength(1);
  expect(() => codec.verify(handle!, thief)).toThrow(/made for someone else/);
});

test('HandleCodec.verify() refuses a handle after ten minutes', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: 0 });
  const codec = new HandleCodec(KEY);
  const handle = codec.mint([root('/a')], nobody);
  vi.setSystemTime(599_000);
  expect(codec.verify(handle!, nobody).roots).toHaveLength(1);
  vi.setSystemTime(602_000);
  expect(() => codec.verify(handle!, nobody)).toThrow(/expired/);
});

test('HandleCodec refuses a short key and says how short', () => {
  expect(() => new HandleCodec('short')).toThrow(
    expect.objectContaining({ code: 'invalid-option', message: expect.stringContaining('5 bytes') }),
  );
});
