import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findProgram, pathOutside } from '../../src/platform/find-program.js';

let folder: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'rootward-program-')));
  for (const name of ['root', 'outside', 'links']) mkdirSync(join(folder, name));
  for (const name of ['root', 'outside']) {
    writeFileSync(join(folder, name, 'tool'), '#!/bin/sh\n');
    chmodSync(join(folder, name, 'tool'), 0o755);
  }
  symlinkSync(join(folder, 'root', 'tool'), join(folder, 'links', 'tool'));
});

afterEach(() => rmSync(folder, { recursive: true }));

const find = (...folders: string[]): Promise<string | undefined> =>
  findProgram('tool', {
    environment: { PATH: folders.map((name) => join(folder, name)).join(delimiter) },
    roots: [{ path: join(folder, 'root') }],
  });

test('findProgram() passes over a program inside a root, also behind a link', async () => {
  expect(await find('root', 'links', 'outside')).toBe(join(folder, 'outside', 'tool'));
  expect(await find('root', 'links')).toBeUndefined();
});

test('findProgram() passes over what cannot be run', async () => {
  chmodSync(join(folder, 'outside', 'tool'), 0o644);
  expect(await find('outside', 'missing')).toBeUndefined();
});

test('pathOutside() keeps absolute folders outside the roots', () => {
  const roots = [{ path: join(folder, 'root') }];
  const outside = join(folder, 'outside');
  expect(pathOutside([join(folder, 'root'), '.', '', outside].join(delimiter), roots)).toBe(outside);
  expect(pathOutside(join(folder, 'root'), roots)).toBeUndefined();
});

test('findProgram() passes over what belongs to the workspace without being in a root', async () => {
  const root = join(folder, 'repo', 'packages', 'a');
  const own = [
    'repo/node_modules/.bin',
    'repo/scripts',
    'node_modules/.bin',
    'repo/packages/venv/bin',
    'venv/bin',
  ];
  mkdirSync(root, { recursive: true });
  mkdirSync(join(folder, 'repo', '.git'));
  for (const name of own) {
    mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(join(folder, name, 'tool'), '#!/bin/sh\n');
    chmodSync(join(folder, name, 'tool'), 0o755);
  }
  writeFileSync(join(folder, 'venv', 'pyvenv.cfg'), '');
  const search = (...names: string[]): Promise<string | undefined> =>
    findProgram('tool', {
      environment: { PATH: names.map((name) => join(folder, name)).join(delimiter) },
      roots: [{ path: root }],
    });
  for (const name of own) expect([name, await search(name)]).toEqual([name, undefined]);
  expect(await search(...own, 'outside')).toBe(join(folder, 'outside', 'tool'));
});

test('findProgram() takes nothing from a folder of the workspace by a link that leads out of it', async () => {
  const bin = join(folder, 'repo', 'node_modules', '.bin');
  mkdirSync(bin, { recursive: true });
  symlinkSync(join(folder, 'outside', 'tool'), join(bin, 'tool'));
  const roots = [{ path: join(folder, 'repo', 'packages', 'a') }];
  expect(await findProgram('tool', { environment: { PATH: bin }, roots })).toBeUndefined();
});
