import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findProgram, pathOutside, searchProgram } from '../../src/platform/find-program.js';
import { ProgramPlaces } from '../../src/platform/program-places.js';

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

const find = (...folders: string[]): string | undefined =>
  findProgram('tool', {
    environment: { PATH: folders.map((name) => join(folder, name)).join(delimiter) },
    roots: [{ path: join(folder, 'root') }],
  });

test('findProgram() passes over a program inside a root, also behind a link', () => {
  expect(find('root', 'links', 'outside')).toBe(join(folder, 'outside', 'tool'));
  expect(find('root', 'links')).toBeUndefined();
});

test('findProgram() passes over what cannot be run', () => {
  chmodSync(join(folder, 'outside', 'tool'), 0o644);
  expect(find('outside', 'missing')).toBeUndefined();
});

test('pathOutside() keeps absolute folders outside the roots', () => {
  const roots = [{ path: join(folder, 'root') }];
  const outside = join(folder, 'outside');
  expect(pathOutside([join(folder, 'root'), '.', '', outside].join(delimiter), roots)).toBe(outside);
  expect(pathOutside(join(folder, 'root'), roots)).toBeUndefined();
});

test('findProgram() passes over what belongs to the workspace without being in a root', () => {
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
  const search = (...names: string[]): string | undefined =>
    findProgram('tool', {
      environment: { PATH: names.map((name) => join(folder, name)).join(delimiter) },
      roots: [{ path: root }],
    });
  for (const name of own) expect([name, search(name)]).toEqual([name, undefined]);
  expect(search(...own, 'outside')).toBe(join(folder, 'outside', 'tool'));
});

test('findProgram() takes nothing from a folder of the workspace by a link that leads out of it', () => {
  const bin = join(folder, 'repo', 'node_modules', '.bin');
  mkdirSync(bin, { recursive: true });
  symlinkSync(join(folder, 'outside', 'tool'), join(bin, 'tool'));
  const roots = [{ path: join(folder, 'repo', 'packages', 'a') }];
  expect(findProgram('tool', { environment: { PATH: bin }, roots })).toBeUndefined();
});

function place(...names: readonly string[]): string {
  const bin = join(folder, ...names);
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'rootward-test-tool'), '#!/bin/sh\n');
  chmodSync(join(bin, 'rootward-test-tool'), 0o755);
  return bin;
}

function searchBefore(environment: Record<string, string>): unknown {
  return searchProgram('rootward-test-tool', { environment, roots: undefined });
}

test('searchProgram() takes a program of the system alone while the roots are not known', () => {
  const bin = place('anywhere');
  const path = join(bin, 'rootward-test-tool');
  expect(searchBefore({ PATH: bin })).toEqual({
    found: undefined,
    skipped: [{ path, reason: expect.stringContaining('name the folder in ROOTWARD_PROGRAM_FOLDERS') }],
  });
  expect(searchBefore({ PATH: '', ROOTWARD_PROGRAM_FOLDERS: bin })).toMatchObject({ found: { path } });
  expect(findProgram('sh', { environment: {}, roots: undefined })).toMatch(/^\/usr\/bin\/|^\/bin\//);
});

test('searchProgram() takes nothing from node_modules/.bin, wherever that is, nor by a link to it', () => {
  const bin = place('elsewhere', 'node_modules', '.bin');
  symlinkSync(bin, join(folder, 'link'));
  for (const PATH of [bin, join(folder, 'link')]) {
    const { found, skipped } = searchProgram('rootward-test-tool', { environment: { PATH }, roots: [] });
    expect([found, skipped.map(({ reason }) => reason)]).toEqual([
      undefined,
      ['the packages of a project put programs into node_modules/.bin'],
    ]);
  }
});

test('searchProgram() takes nothing that is reached over a link inside a root', () => {
  const bin = place('target', 'bin');
  symlinkSync(join(folder, 'target'), join(folder, 'root', 'hop'));
  symlinkSync(join(folder, 'root', 'hop'), join(folder, 'hop'));
  const roots = [{ path: join(folder, 'root') }];
  const found = (PATH: string): unknown =>
    findProgram('rootward-test-tool', { environment: { PATH }, roots });
  expect(found(join(folder, 'hop', 'bin'))).toBeUndefined();
  expect(found(bin)).toBe(join(bin, 'rootward-test-tool'));
});

test.runIf(process.getuid !== undefined)('searchProgram() takes nothing that other users can change', () => {
  const bin = place('shared', 'bin');
  const found = (): unknown => findProgram('rootward-test-tool', { environment: { PATH: bin }, roots: [] });
  expect(found()).toBe(join(bin, 'rootward-test-tool'));
  for (const shared of [join(bin, 'rootward-test-tool'), bin, join(folder, 'shared')]) {
    chmodSync(shared, 0o777);
    expect([shared, found()]).toEqual([shared, undefined]);
    chmodSync(shared, 0o755);
  }
  expect(found()).toBeDefined();
});

test('ProgramPlaces counts the directory of the process among the roots, unless it is one of the system', () => {
  const bin = place('project', 'tools');
  expect(new ProgramPlaces([], join(folder, 'project')).reasonAgainst(bin)).toContain('started in');
  expect(new ProgramPlaces([], folder).reasonAgainst(bin)).toContain('started in');
  expect(new ProgramPlaces([], join(folder, 'outside')).reasonAgainst(bin)).toBeUndefined();
  for (const directory of ['/', '/usr', '/usr/bin', undefined])
    expect(new ProgramPlaces([], directory).reasonAgainst('/usr/bin')).toBeUndefined();
});

test('ProgramPlaces refuses links in a circle and relative paths', () => {
  symlinkSync(join(folder, 'one'), join(folder, 'two'));
  symlinkSync(join(folder, 'two'), join(folder, 'one'));
  const places = new ProgramPlaces([]);
  expect(places.reasonAgainst(join(folder, 'one', 'bin'))).toContain('where it leads');
  for (const path of ['', '.', 'bin']) expect(places.reasonAgainst(path)).toContain('where it is started');
});
