import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { protectedPaths as placesOf, type SteeringFiles } from '../../src/settings/protected-paths.js';

const top = realpathSync(mkdtempSync(join(tmpdir(), 'rootward-protected-')));
afterAll(() => rmSync(top, { recursive: true }));
mkdirSync(join(top, 'real'));
writeFileSync(join(top, 'real', 'target.json'), '');
symlinkSync('real', join(top, 'linked'));
symlinkSync('target.json', join(top, 'real', 'rootward.json'));

const protectedPaths = (files: SteeringFiles): readonly string[] => placesOf(files).map(({ path }) => path);

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

test('protectedPaths() protects the whole package of the program, and the link it was called by', () => {
  const installed = join(top, 'node_modules', 'rootward');
  mkdirSync(join(installed, 'dist'), { recursive: true });
  mkdirSync(join(top, 'node_modules', '.bin'));
  writeFileSync(join(installed, 'package.json'), '{}');
  writeFileSync(join(installed, 'dist', 'rootward.cjs'), '');
  const command = join(top, 'node_modules', '.bin', 'rootward');
  symlinkSync('../rootward/dist/rootward.cjs', command);
  expect(protectedPaths({ ...none, program: join(installed, 'dist'), command })).toEqual([
    installed,
    command,
    join(installed, 'dist', 'rootward.cjs'),
  ]);
});

test('protectedPaths() protects what links in tools/ lead to, at any depth a tool can be', () => {
  const project = join(top, 'linking');
  mkdirSync(join(project, 'tools', 'one', 'lib'), { recursive: true });
  mkdirSync(join(top, 'shared'));
  writeFileSync(join(top, 'shared', 'run.sh'), '');
  symlinkSync('../../shared', join(project, 'tools', 'whole'));
  symlinkSync('../../../../shared/run.sh', join(project, 'tools', 'one', 'lib', 'run.sh'));
  const paths = protectedPaths({ ...none, project });
  expect(paths).toContain(join(top, 'shared'));
  expect(paths).toContain(join(top, 'shared', 'run.sh'));
  expect(paths).toContain(join(project, 'tools', 'whole'));
});

test('protectedPaths() protects nothing where nothing is named', () => {
  expect(protectedPaths({ ...none, project: '' })).toEqual([]);
});
