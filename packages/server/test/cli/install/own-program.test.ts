import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ownCommandLine, ownProgram } from '../../../src/cli/install/own-program.js';
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
