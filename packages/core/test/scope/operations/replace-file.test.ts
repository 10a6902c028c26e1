import {
  chmodSync,
  closeSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import { Gate, type Entry } from '../../../src/scope/gate/gate.js';
import { overwriteInPlace, replaceFile, writeAll } from '../../../src/scope/operations/replace-file.js';
import { TemporaryFiles } from '../../../src/scope/operations/temporary-files.js';
import { Changes } from '../../../src/scope/recording/changes.js';
import { ProcessLocks } from '../../../src/platform/process-locks.js';
import { platforms, rootAt, useTree } from '../fixture.js';

const tree = useTree();
const opened: Entry[] = [];
const writing = () => ({
  temporaries: new TemporaryFiles(),
  changes: new Changes(new ProcessLocks(tree().outside), undefined),
});
afterEach(() => {
  for (const entry of opened.splice(0)) entry.parent.close();
});

describe.each(platforms)('replaceFile() on the %s platform', (_name, platform) => {
  function entryAt(name: string): Entry {
    const gate = new Gate([rootAt(tree().inside)], {}, platform);
    const entry = gate.admitEntry('write', tree().in(name), 'change');
    opened.push(entry);
    return entry;
  }

  test('keeps the old file in place until the new one is complete', async () => {
    tree().make({ 'a.txt': 'old' });
    let seen = '';
    await replaceFile(
      entryAt('a.txt'),
      writing(),
      async (fd) => {
        await writeAll(fd, Buffer.from('half'));
        seen = tree().text('a.txt');
        await writeAll(fd, Buffer.from(' and half'));
      },
      { exclusive: false },
    );
    expect(seen).toBe('old');
    expect(tree().text('a.txt')).toBe('half and half');
  });

  test('keeps what is written private while it replaces a private file', async () => {
    tree().make({ 'a.txt': 'old' });
    chmodSync(tree().in('a.txt'), 0o600);
    let mode: number | undefined;
    await replaceFile(
      entryAt('a.txt'),
      writing(),
      async (fd) => {
        mode = fstatSync(fd).mode & 0o077;
      },
      { exclusive: false, predecessor: statSync(tree().in('a.txt')) },
    );
    expect(mode).toBe(0);
  });

  test('leaves nothing behind when producing the content fails', async () => {
    tree().make({ 'a.txt': 'old' });
    const reason = new Error('no content');
    const failing = replaceFile(
      entryAt('a.txt'),
      writing(),
      async (fd) => {
        await writeAll(fd, Buffer.from('half'));
        throw reason;
      },
      { exclusive: false },
    );
    await expect(failing).rejects.toBe(reason);
    expect(tree().names()).toEqual(['a.txt']);
    expect(tree().text('a.txt')).toBe('old');
  });

  test('leaves nothing behind when the file cannot take its place', async () => {
    const entry = entryAt('a.txt');
    const failing = replaceFile(
      entry,
      writing(),
      async (fd) => {
        await writeAll(fd, Buffer.from('new'));
        mkdirSync(tree().in('a.txt'));
      },
      { exclusive: false },
    );
    await expect(failing).rejects.toThrow(/EISDIR|EPERM/);
    expect(tree().names()).toEqual(['a.txt']);
  });

  test('exclusive never replaces a file that appears meanwhile', async () => {
    const failing = replaceFile(
      entryAt('a.txt'),
      writing(),
      async (fd) => {
        await writeAll(fd, Buffer.from('new'));
        writeFileSync(tree().in('a.txt'), 'somebody was faster');
      },
      { exclusive: true },
    );
    await expect(failing).rejects.toMatchObject({ code: 'EEXIST' });
    expect(tree().text('a.txt')).toBe('somebody was faster');
    expect(tree().names()).toEqual(['a.txt']);
  });

  test('exclusive gives the finished file exactly one name', async () => {
    await replaceFile(entryAt('a.txt'), writing(), (fd) => writeAll(fd, Buffer.from('new')), {
      exclusive: true,
    });
    expect(tree().names()).toEqual(['a.txt']);
    expect(lstatSync(tree().in('a.txt')).nlink).toBe(1);
  });
});

test('overwriteInPlace() leaves nothing of a longer predecessor', async () => {
  tree().make({ 'a.txt': 'a long old text' });
  const fd = openSync(tree().in('a.txt'), 'r+');
  try {
    await overwriteInPlace(fd, Buffer.from('new'));
  } finally {
    closeSync(fd);
  }
  expect(tree().text('a.txt')).toBe('new');
});

test('writeAll() writes content of many pieces in order', async () => {
  const bytes = Buffer.alloc(3 * 1024 * 1024 + 7, '0123456789');
  const fd = openSync(tree().in('a.bin'), 'w');
  try {
    await writeAll(fd, bytes);
  } finally {
    closeSync(fd);
  }
  expect(readFileSync(tree().in('a.bin')).equals(bytes)).toBe(true);
});
