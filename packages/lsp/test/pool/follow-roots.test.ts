import { afterEach, beforeEach, expect, test } from 'vitest';
import { diffRoots, readPathRoots, type Root } from '@rootward/core';
import type { FolderKind } from '@rootward/lsp';
import type { View } from '../../src/connection/server-sandbox.js';
import { followRoots } from '../../src/pool/follow-roots.js';
import { Folder } from '../fixtures/folder.js';

let home: Folder;
let plain: readonly Root[];
let other: readonly Root[];
let broad: readonly Root[];
let file: readonly Root[];

beforeEach(async () => {
  home = new Folder({ 'go.mod': '', 'root/x.go': '', 'other/x.go': '' });
  plain = await rootsAt('root');
  other = await rootsAt('other');
  broad = await rootsAt('.');
  file = await rootsAt('go.mod');
});

afterEach(() => home[Symbol.dispose]());

async function rootsAt(name: string): Promise<readonly Root[]> {
  return (await readPathRoots([{ path: home.at(name) }], { source: 'flag', home: home.path })).roots;
}

/** Whether a server goes on after a change of the roots, and the folders it is told of. */
function follow(
  kind: FolderKind,
  before: readonly Root[],
  after: readonly Root[],
  view: View = 'the same',
): unknown {
  const told: (readonly string[])[] = [];
  const folders = before.filter((root) => root.kind === 'directory' && !root.broad);
  const instance = {
    kind,
    sees: () => view,
    folders,
    touched: new Set(folders.map(({ path }) => path)),
    closeUnless() {},
    changeFolders: (...lists: readonly (readonly { readonly name: string }[])[]) =>
      told.push(...lists.map((list) => list.map(({ name }) => name))),
  };
  return [followRoots(instance, diffRoots(before, after), after), ...told];
}

test('followRoots() tells a server that follows folders what came and what went', () => {
  expect(follow('shared', plain, other)).toEqual(['goes on', ['other'], ['root']]);
});

test('followRoots() keeps broad and single-file roots from being folders of a server', () => {
  expect(follow('shared', plain, [...broad, ...file, ...plain])).toEqual(['goes on', [], []]);
  expect(follow('shared', plain, [...broad, ...file])).toEqual(['ends']);
  expect(follow('shared', broad, [...broad, ...file])).toEqual(['goes on']);
  expect(follow('shared', broad, [])).toEqual(['ends']);
});

test('followRoots() ends a server that would go on answering for a folder that is gone', () => {
  expect(follow('per-root', plain, other)).toEqual(['ends']);
  expect(follow('per-root', plain, [...plain, ...other])).toEqual(['goes on']);
  expect(follow('file-driven', plain, file)).toEqual(['ends']);
  expect(follow('file-driven', plain, broad)).toEqual(['goes on']);
});

test('followRoots() ends or replaces a server whose sandbox shows less than the roots cover', () => {
  expect(follow('shared', plain, [...plain, ...other], 'less')).toEqual(['is replaced', [], []]);
  expect(follow('shared', broad, [...broad, ...other], 'less')).toEqual(['ends', [], []]);
  expect(follow('file-driven', plain, [...plain, ...other], 'less')).toEqual(['ends']);
  expect(follow('per-root', plain, [...plain, ...other], 'less')).toEqual(['goes on']);
  expect(follow('per-root', plain, [...plain, ...broad], 'less')).toEqual(['ends']);
});

test.each(['shared', 'per-root', 'file-driven'] as const)(
  'followRoots() ends a %s server whose sandbox shows more than the roots cover',
  (kind) => {
    expect(follow(kind, [...plain, ...other], plain, 'more')).toEqual(['ends']);
  },
);
