import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ownCommandHere, ownCommandLine, ownProgram } from '../../../src/cli/install/own-program.js';
import { makeTree } from '../../fixtures/temp-tree.js';

const tree = makeTree();
let count = 0;

/** An installed package whose address npm noted as `resolved`. */
function installed(resolved: unknown): string {
  const modules = `${count++}/node_modules`;
  mkdirSync(tree.path(modules, 'rootward/dist'), { recursive: true });
  const list = { packages: { 'node_modules/rootward': { version: '1.0.0', resolved } } };
  writeFileSync(tree.path(modules, '.package-lock.json'), JSON.stringify(list));
  return tree.path(modules, 'rootward/dist');
}

describe('ownProgram()', () => {
  test('names npx where npm fetched the package from a registry', () => {
    const folder = installed('https://registry.example.org/rootward/-/rootward-1.0.0.tgz');
    expect(ownProgram(folder)).toEqual({ command: 'npx', args: ['-y', 'rootward'] });
  });

  test.each([
    'file:../rootward-1.0.0.tgz',
    'https://example.org/rootward.tgz',
    'git+ssh://git@example.org/x.git',
    undefined,
    3,
  ])('names the script where the package came from %j', (resolved) => {
    const folder = installed(resolved);
    expect(ownProgram(folder)).toEqual({ command: 'node', args: [`${folder}/rootward.cjs`] });
  });

  test('names the script in a clone', () => {
    const folder = tree.path('clone/packages/server/dist');
    expect(ownProgram(folder)).toEqual({ command: 'node', args: [`${folder}/rootward.cjs`] });
  });
});

describe('ownCommandLine()', () => {
  test('is the name where PATH leads to this program, and the whole command elsewhere', () => {
    tree.add({ 'a b/dist/rootward.cjs': '', 'a b/bin/rootward.cjs': '', 'path/': '', 'other/rootward': '' });
    chmodSync(tree.path('a b/bin/rootward.cjs'), 0o755);
    chmodSync(tree.path('other/rootward'), 0o755);
    symlinkSync(tree.path('a b/bin/rootward.cjs'), tree.path('path/rootward'));
    const program = tree.path('a b/dist');
    const line = (PATH: string): string => ownCommandLine({ environment: { PATH }, program });
    expect(line(tree.path('path'))).toBe('rootward');
    expect(line(`${tree.path('other')}:${tree.path('path')}`)).toBe(
      `node '${tree.path('a b/dist/rootward.cjs')}'`,
    );
    // Only while a script of npm runs.
    tree.add({ 'x/node_modules/.bin/': '' });
    symlinkSync(tree.path('a b/bin/rootward.cjs'), tree.path('x/node_modules/.bin/rootward'));
    expect(line(tree.path('x/node_modules/.bin'))).toMatch(/^node /);
    expect(line('')).toBe(`node '${tree.path('a b/dist/rootward.cjs')}'`);
  });
});

describe('ownCommandHere()', () => {
  const clone = tree.path('repository');
  const program = `${clone}/packages/server/dist`;
  const script = `${program}/rootward.cjs`;
  const here = (directory: string, more: object = {}): string =>
    ownCommandHere({ environment: {}, program, directory, ...more });

  test('is the path from the current folder where the program lies below it', () => {
    expect(here(clone)).toBe('node packages/server/dist/rootward.cjs');
    expect(here(program)).toBe('node rootward.cjs');
    expect(here(`${clone}/docs`)).toBe(`node ${script}`);
    expect(here(tree.path('elsewhere'))).toBe(`node ${script}`);
  });

  test('is npx where npx found it for this folder, and would again', () => {
    const environment = { npm_command: 'exec' };
    const command = `${clone}/node_modules/.bin/rootward`;
    expect(here(clone, { environment, command })).toBe('npx rootward');
    expect(here(`${clone}/docs`, { environment, command })).toBe('npx rootward');
    // A tarball that npx unpacked into its cache: without it, npx would ask a registry.
    const cached = tree.path('cache/_npx/1/node_modules/.bin/rootward');
    expect(here(`${clone}/docs`, { environment, command: cached })).toBe(`node ${script}`);
    // Started by a path, in a shell below some other npx.
    expect(here(`${clone}/docs`, { environment, command: script })).toBe(`node ${script}`);
    expect(here(`${clone}/docs`, { command })).toBe(`node ${script}`);
  });

  test('is what names the package where it came from a registry', () => {
    const folder = installed('https://registry.example.org/rootward/-/rootward-1.0.0.tgz');
    expect(here(folder, { program: folder })).toBe('npx -y rootward');
  });
});
