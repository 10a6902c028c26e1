import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { protectedPaths } from '../../src/settings/protected-paths.js';

const top = realpathSync(mkdtempSync(join(tmpdir(), 'rootward-protected-')));
afterAll(() => rmSync(top, { recursive: true }));
mkdirSync(join(top, 'real'));
writeFileSync(join(top, 'real', 'target.json'), '');
symlinkSync('real', join(top, 'linked'));
symlinkSync('target.json', join(top, 'real', 'rootward.json'));

const none = { configuration: [], project: undefined, audit: undefined, program: undefined };

test('protectedPaths() protects every link on the way and what it leads to, in their canonical folder', () => {
  expect(protectedPaths({ ...none, configuration: [join(top, 'linked', 'rootward.json')] })).toEqual([
    join(top, 'linked'),
    join(top, 'real', 'rootward.json'),
    join(top, 'real', 'target.json'),
  ]);
});

test('protectedPaths() protects a place where there is nothing yet', () => {
  expect(protectedPaths({ ...none, configuration: [join(top, 'linked', 'no', 'such.json')] })).toEqual([
    join(top, 'linked'),
    join(top, 'real', 'no', 'such.json'),
  ]);
});

test('protectedPaths() follows links that go up, that are absolute, and that lead in a circle', () => {
  const project = join(top, 'up');
  symlinkSync(join(top, 'real', '..', 'linked'), project);
  symlinkSync('../linked/target.json', join(top, 'real', 'config'));
  symlinkSync('tools', join(top, 'real', 'tools'));
  expect(protectedPaths({ ...none, project })).toEqual([
    project,
    join(top, 'linked'),
    join(top, 'real', 'tools'),
    join(top, 'real', 'config'),
    join(top, 'real', 'target.json'),
  ]);
});

test('protectedPaths() protects the commands and settings of a tools project, the trail and the program', () => {
  const paths = protectedPaths({ ...none, project: '/p', audit: '/a.log', program: '/dist' });
  expect(paths).toEqual(['/p/tools', '/p/config', '/a.log', '/a.log.1', '/a.log.lock', '/dist']);
});

test('protectedPaths() protects nothing where nothing is named', () => {
  expect(protectedPaths({ ...none, project: '' })).toEqual([]);
});
