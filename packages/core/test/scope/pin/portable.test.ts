import { closeSync, constants, readFileSync, renameSync, symlinkSync, unlinkSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { portablePlatform } from '../../../src/scope/pin/portable.js';
import type { Operation } from '../../../src/scope/pin/pin.js';
import { useTree } from '../fixture.js';

const tree = useTree();
const OPENING: readonly Operation[] = ['open', 'readText', 'readBytes'];
const OTHERS: readonly Operation[] = ['write', 'mkdir', 'list', 'stat', 'rename', 'copy', 'remove', 'walk'];

test('portablePlatform() promises race-free opening on macOS, and best effort otherwise', () => {
  for (const operation of OPENING) {
    expect(portablePlatform('darwin').guarantee(operation)).toBe('race-free');
    expect(portablePlatform('win32').guarantee(operation)).toBe('best-effort');
    expect(portablePlatform('linux').guarantee(operation)).toBe('best-effort');
  }
  for (const operation of OTHERS) {
    for (const system of ['darwin', 'win32', 'linux'] as const) {
      expect(portablePlatform(system).guarantee(operation)).toBe('best-effort');
    }
  }
});

describe('portablePlatform().pin()', () => {
  const platform = portablePlatform(process.platform);

  test('gives the canonical path of what links lead to', () => {
    tree().make({ sub: { 'a.txt': 'text' } });
    tree().link('link', 'sub');
    const pin = platform.pin(tree().in('link/a.txt'));
    expect(pin.path).toBe(tree().in('sub/a.txt'));
    expect(pin.stats.isFile()).toBe(true);
    expect(readFileSync(pin.self, 'utf8')).toBe('text');
  });

  test('with noFollow gives a final link itself, with links further up followed', () => {
    tree().make({ sub: {} });
    tree().link('sub/target', 'nowhere');
    tree().link('link', 'sub');
    const pin = platform.pin(tree().in('link/target'), { noFollow: true });
    expect(pin.path).toBe(tree().in('sub/target'));
    expect(pin.stats.isSymbolicLink()).toBe(true);
  });

  test('with directory refuses a file', () => {
    tree().make({ 'a.txt': '' });
    expect(() => platform.pin(tree().in('a.txt'), { directory: true })).toThrow(/ENOTDIR/);
    expect(platform.pin(tree().inside, { directory: true }).stats.isDirectory()).toBe(true);
  });

  test('throws the errors of the system', () => {
    tree().make({ 'a.txt': '' });
    tree().link('loop', 'loop');
    expect(() => platform.pin(tree().in('none'))).toThrow(/ENOENT/);
    expect(() => platform.pin(tree().in('loop'))).toThrow(/ELOOP/);
    expect(() => platform.pin(tree().in('a.txt/'))).toThrow(/ENOTDIR/);
    expect(() => platform.pin(tree().in('a.txt/b'))).toThrow(/ENOTDIR/);
  });

  test('reopens the object that was pinned', async () => {
    tree().make({ 'a.txt': 'text' });
    const pin = platform.pin(tree().in('a.txt'));
    const fd = pin.reopen(constants.O_RDONLY);
    expect(readFileSync(fd, 'utf8')).toBe('text');
    closeSync(fd);
    const handle = await pin.reopenHandle(constants.O_RDONLY);
    expect(await handle.readFile('utf8')).toBe('text');
    await handle.close();
  });

  test('refuses to reopen another file that took its place, or a link', async () => {
    tree().make({ 'a.txt': 'text', 'b.txt': 'other' });
    const pin = platform.pin(tree().in('a.txt'));
    renameSync(tree().in('b.txt'), tree().in('a.txt'));
    expect(() => pin.reopen(constants.O_RDONLY)).toThrow(/ESTALE/);
    await expect(pin.reopenHandle(constants.O_RDONLY)).rejects.toThrow(/ESTALE/);
    unlinkSync(tree().in('a.txt'));
    symlinkSync(tree().outside, tree().in('a.txt'));
    expect(() => pin.reopen(constants.O_RDONLY)).toThrow(/ELOOP/);
    await expect(pin.reopenHandle(constants.O_RDONLY)).rejects.toThrow(/ELOOP/);
  });
});
