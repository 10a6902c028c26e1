import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Pin } from '../../../src/scope/pin/pin.js';
import { readPinned } from '../../../src/scope/pin/read-directory.js';
import { systemPlatform } from '../../../src/scope/pin/system.js';
import { useTree } from '../fixture.js';

const tree = useTree();
/** More than are read in one piece. */
const FILES = 600;

/** A pinned folder with files, a folder and a link, of which the disk says that it has this size. */
function pinned(size: number): Pin {
  const folder = join(tree().inside, `of-size-${size}`);
  mkdirSync(join(folder, 'folder'), { recursive: true });
  symlinkSync('nowhere', join(folder, 'link'));
  for (let file = 0; file < FILES; file++) writeFileSync(join(folder, `${file}.txt`), '');
  const pin = systemPlatform().pin(folder, { directory: true });
  Object.assign(pin.stats, { size });
  return pin;
}

/** A pin of a folder that cannot be read, also by root. */
function failing(size: number, code: string): Pin {
  const pin = systemPlatform().pin(tree().inside, { directory: true });
  pin.close();
  return {
    ...pin,
    stats: Object.assign(pin.stats, { size }),
    get self(): string {
      throw Object.assign(new Error(code), { code });
    },
  };
}

describe.each([
  ['small', 4096],
  ['large', 2 ** 30],
  ['of unknown size', 0],
])('readPinned() of a folder that is %s', (_, size) => {
  test('gives every entry once, with its kind', () => {
    const pin = pinned(size);
    const entries = [...readPinned(pin)];
    pin.close();
    const names = Array.from({ length: FILES }, (_each, file) => `${file}.txt`);
    expect(entries.map(({ name }) => name).toSorted()).toEqual([...names, 'folder', 'link'].toSorted());
    expect(entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)).toEqual(['folder']);
    expect(entries.filter((entry) => entry.isSymbolicLink()).map(({ name }) => name)).toEqual(['link']);
  });

  test('passes over one that is closed to us, where that is asked for', () => {
    expect([...readPinned(failing(size, 'EACCES'), { skipUnreadable: true })]).toEqual([]);
  });

  test.each([
    ['EACCES', false],
    ['ENOENT', true],
  ])('throws %s with skipUnreadable: %s', (code, skipUnreadable) => {
    const read = (): unknown => [...readPinned(failing(size, code), { skipUnreadable })];
    expect(read).toThrow(expect.objectContaining({ code }));
  });
});
