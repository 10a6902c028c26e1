import { createRequestStateCodec } from '@modelcontextprotocol/server';
import type { ServerContext } from '@modelcontextprotocol/server';
import type { Root } from '@rootward/core';
import { afterEach, expect, test, vi } from 'vitest';
import { HandleCodec } from '../../src/v2/handle-codec.js';

const KEY = 'k'.repeat(32);

afterEach(() => {
  vi.useRealTimers();
});

function contextOf(clientId?: string, sub?: string): ServerContext {
  const authInfo = clientId === undefined ? undefined : { token: 't', clientId, scopes: [], extra: { sub } };
  return { mcpReq: { method: 'tools/call' }, http: { authInfo } } as unknown as ServerContext;
}

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

const nobody = contextOf();

test('HandleCodec.verify() gives back the roots that were minted', async () => {
  const handle = await new HandleCodec(KEY).mint([root('/a'), root('/b', { access: 'read-only' })], nobody);
  expect(await new HandleCodec(KEY).verify(handle!, nobody)).toEqual([
    { path: '/a', name: 'x' },
    { path: '/b', name: 'x', access: 'read-only' },
  ]);
});

test('HandleCodec.mint() holds what guests gave, not what the operator set', async () => {
  const codec = new HandleCodec(KEY);
  const handle = await codec.mint([root('/a'), root('/o', { source: 'flag' })], nobody);
  expect(await codec.verify(handle!, nobody)).toMatchObject([{ path: '/a' }]);
  expect(await codec.mint([root('/o', { source: 'flag' })], nobody)).toBeUndefined();
  expect(await codec.mint([], nobody)).toBeUndefined();
});

const many = (count: number): Root[] =>
  Array.from({ length: count }, (_, i) => root(`/a/${String(i).padStart(20, '0')}`));

test('HandleCodec.mint() makes no handle above 4 KB', async () => {
  const codec = new HandleCodec(KEY);
  expect((await codec.mint(many(40), nobody))!.length).toBeLessThanOrEqual(4096);
  expect(await codec.mint(many(400), nobody)).toBeUndefined();
});

test.each([
  [
    'altered',
    async (handle: string) => `${handle.slice(0, 8)}${handle[8] === 'A' ? 'B' : 'A'}${handle.slice(9)}`,
  ],
  ['foreign', async () => (await new HandleCodec('z'.repeat(32)).mint([root('/a')], nobody))!],
  ['empty', async () => ''],
  ['nonsense', async () => 'nonsense'],
  ['a path', async () => '/etc'],
  [
    'of another purpose',
    () => createRequestStateCodec({ key: KEY, bind: () => '' }).mint({ step: 1 }, nobody),
  ],
])('HandleCodec.verify() refuses a handle that is %s', async (_, make) => {
  const codec = new HandleCodec(KEY);
  const handle = await make((await codec.mint([root('/a')], nobody))!);
  await expect(codec.verify(handle, nobody)).rejects.toMatchObject({
    code: 'invalid-handle',
    instruction: 'Omit `workspace`, or call workspace_info for a new one',
  });
});

test.each([
  ['another client', contextOf('other', 'u1')],
  ['another subject', contextOf('c', 'u2')],
  ['nobody', nobody],
])('HandleCodec.verify() refuses a handle in the hands of %s', async (_, thief) => {
  const codec = new HandleCodec(KEY);
  const handle = await codec.mint([root('/a')], contextOf('c', 'u1'));
  expect(await codec.verify(handle!, contextOf('c', 'u1'))).toHaveLength(1);
  await expect(codec.verify(handle!, thief)).rejects.toThrow(/made for someone else/);
});

test('HandleCodec.verify() refuses a handle after ten minutes', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: 0 });
  const codec = new HandleCodec(KEY);
  const handle = await codec.mint([root('/a')], nobody);
  vi.setSystemTime(599_000);
  expect(await codec.verify(handle!, nobody)).toHaveLength(1);
  vi.setSystemTime(602_000);
  await expect(codec.verify(handle!, nobody)).rejects.toThrow(/expired/);
});

test('HandleCodec refuses a short key and says how short', () => {
  expect(() => new HandleCodec('short')).toThrow(
    expect.objectContaining({ code: 'invalid-option', message: expect.stringContaining('5 bytes') }),
  );
});
