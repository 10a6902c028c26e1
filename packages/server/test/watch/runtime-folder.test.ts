import { chmodSync, mkdirSync, statSync, symlinkSync } from 'node:fs';
import { runtimeFolder } from '@rootward/core/platform';
import { describe, expect, test } from 'vitest';
import { isOwnFolder, makeRuntimeFolder, socketPath } from '../../src/watch/runtime-folder.js';
import { makeTree } from '../fixtures/temp-tree.js';

const tree = makeTree();

describe.runIf(process.platform !== 'win32')('runtime folder', () => {
  test('is made for the user alone', () => {
    const folder = tree.path('own');
    expect(makeRuntimeFolder(folder)).toBe(true);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(makeRuntimeFolder(folder)).toBe(true);
  });

  test('is not used where others may enter it, or where it is a link or a file', () => {
    mkdirSync(tree.path('open'));
    chmodSync(tree.path('open'), 0o755);
    symlinkSync(tree.path('own'), tree.path('link'));
    tree.add({ file: '' });
    expect(
      ['open', 'link', 'file', 'missing/below'].map((name) => makeRuntimeFolder(tree.path(name))),
    ).toEqual([false, false, false, false]);
    expect(isOwnFolder(tree.path('missing'))).toBe(false);
  });

  test('is that of the session where there is one', () => {
    expect(runtimeFolder({ environment: { XDG_RUNTIME_DIR: '/run/user/7' } })).toBe('/run/user/7/rootward');
    expect(runtimeFolder({ environment: { XDG_RUNTIME_DIR: 'relative' } })).not.toContain('relative');
  });

  test('has no socket whose name the system would cut', () => {
    expect(socketPath('/run/user/7/rootward', 12)).toBe('/run/user/7/rootward/12.sock');
    expect(socketPath(`/${'x'.repeat(120)}`, 12)).toBe(undefined);
  });
});
