import {
  closeSync,
  constants,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { execFileSync } from 'node:child_process';
import { afterEach, describe, expect, test } from 'vitest';
import { linuxPlatform } from '../../../src/scope/pin/linux.js';
import type { Pin, PinOptions } from '../../../src/scope/pin/pin.js';
import { useTree } from '../fixture.js';

const tree = useTree();
const opened: Pin[] = [];
afterEach(() => {
  for (const pin of opened.splice(0)) pin.close();
});

describe.runIf(process.platform === 'linux')('linuxPlatform().pin()', () => {
  const platform = linuxPlatform();
  function pinned(path: string, options?: PinOptions): Pin {
    if (platform === undefined) throw new Error('This Linux has no genuine /proc');
    const pin = platform.pin(path, options);
    opened.push(pin);
    return pin;
  }

  test('gives the path the kernel has for what links lead to', () => {
    tree().make({ sub: { 'a.txt': 'text' } });
    tree().link('link', 'sub');
    const pin = pinned(tree().in('link/../link//a.txt'));
    expect(pin.path).toBe(tree().in('sub/a.txt'));
    expect(readFileSync(pin.self, 'utf8')).toBe('text');
  });

  test('with noFollow gives a final link itself, with links further up followed', () => {
    tree().make({ sub: {} });
    tree().link('sub/target', 'nowhere');
    tree().link('link', 'sub');
    const pin = pinned(tree().in('link/target'), { noFollow: true });
    expect(pin.path).toBe(tree().in('sub/target'));
    expect(pin.stats.isSymbolicLink()).toBe(true);
  });

  test('with directory refuses a file, and a link when it is not followed', () => {
    tree().make({ 'a.txt': '' });
    tree().link('link', '.');
    expect(() => pinned(tree().in('a.txt'), { directory: true })).toThrow(/ENOTDIR/);
    expect(() => pinned(tree().in('link'), { directory: true, noFollow: true })).toThrow(/ENOTDIR|ELOOP/);
    expect(pinned(tree().in('link'), { directory: true }).path).toBe(tree().inside);
  });

  test('throws the errors of the system', () => {
    tree().make({ 'a.txt': '' });
    tree().link('loop', 'loop');
    expect(() => pinned(tree().in('none'))).toThrow(/ENOENT/);
    expect(() => pinned(tree().in('loop'))).toThrow(/ELOOP/);
    expect(() => pinned(tree().in('a.txt/'))).toThrow(/ENOTDIR/);
  });

  test('holds on to a folder that is renamed, and not to what takes its name', () => {
    tree().make({ sub: { 'a.txt': 'mine' } });
    tree().make({ 'a.txt': 'outside' }, tree().outside);
    const pin = pinned(tree().in('sub'), { directory: true });
    renameSync(tree().in('sub'), tree().in('moved'));
    symlinkSync(tree().outside, tree().in('sub'));
    expect(readFileSync(pin.child('a.txt'), 'utf8')).toBe('mine');
    writeFileSync(pin.child('new.txt'), '');
    expect(tree().names(tree().in('moved'))).toEqual(['a.txt', 'new.txt']);
    expect(tree().names(tree().outside)).toEqual(['a.txt']);
  });

  test('reopens the object that was pinned, also after its name was given to another', () => {
    tree().make({ 'a.txt': 'mine', 'b.txt': 'other' });
    const pin = pinned(tree().in('a.txt'));
    renameSync(tree().in('b.txt'), tree().in('a.txt'));
    const fd = pin.reopen(constants.O_RDONLY);
    expect(readFileSync(fd, 'utf8')).toBe('mine');
    closeSync(fd);
  });

  test('takes names that look like those of removed files for what they are', () => {
    for (const name of ['a.txt (deleted)', 'a\nb', 'ends ', "quote'", '\uFFFD']) {
      tree().make({ [name]: '' });
      expect(pinned(tree().in(name)).path).toBe(tree().in(name));
    }
  });

  test('refuses a name that is not valid UTF-8 rather than confuse it with another', () => {
    const bad = Buffer.concat([Buffer.from(tree().in('bad-')), Buffer.from([0xff])]);
    mkdirSync(bad);
    mkdirSync(tree().in('bad-\uFFFD'));
    symlinkSync(bad, tree().in('link'));
    expect(() => pinned(tree().in('link'))).toThrow(/EILSEQ/);
  });

  test('refuses a folder that was removed while the process stood in it', () => {
    mkdirSync(tree().in('gone'));
    const pin = pinned(tree().in('gone'));
    execFileSync('rmdir', [tree().in('gone')]);
    expect(() => pinned(pin.self)).toThrow(/ESTALE/);
  });

  test('does not open a FIFO by holding it', () => {
    execFileSync('mkfifo', [tree().in('pipe')]);
    expect(pinned(tree().in('pipe')).stats.isFIFO()).toBe(true);
    unlinkSync(tree().in('pipe'));
  });
});
