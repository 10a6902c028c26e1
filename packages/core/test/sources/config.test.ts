import { symlinkSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { LogFields } from '../../src/platform/logger.js';
import { makeTree } from '../workspace/scripted-client.js';
import { pathsOf, readFrom, statementOf } from './read-from.js';

function recordWarnings() {
  const warnings: { text: string; fields: LogFields | undefined }[] = [];
  const log = {
    debug() {},
    info() {},
    warn: (text: string, fields?: LogFields) => warnings.push({ text, fields }),
  };
  return { warnings, log };
}

test('configured roots are relative to the file, may have a name and be read-only', async () => {
  const tree = makeTree('conf/data', 'media');
  const roots = [{ path: './data', name: 'Data', access: 'read-only' }, tree('media')];
  const sources = await readFrom({ config: [{ file: tree('conf/rootward.json'), roots }] });
  expect(statementOf(sources, 'config').roots).toMatchObject([
    { path: tree('conf/data'), name: 'Data', access: 'read-only', source: 'config' },
    { path: tree('media'), access: 'read-write' },
  ]);
});

test('an access nobody knows is taken as read-only', async () => {
  const tree = makeTree('a');
  const roots = [{ path: tree('a'), access: 'readonly' }];
  const sources = await readFrom({ config: [{ file: tree('rootward.json'), roots }] });
  expect(statementOf(sources, 'config').roots).toMatchObject([{ access: 'read-only' }]);
});

test('a bad configured root is warned about and skipped, valid ones are kept', async () => {
  const tree = makeTree('a');
  const { warnings, log } = recordWarnings();
  const roots = [tree('missing'), 7, { name: 'no path' }, tree('a')];
  const sources = await readFrom({ log, config: [{ file: tree('rootward.json'), roots }] });
  expect(pathsOf(statementOf(sources, 'config'))).toEqual([tree('a')]);
  expect(warnings.map(({ fields }) => fields?.['reason'])).toEqual(['malformed', 'malformed', 'not-found']);
  expect(warnings.some(({ fields }) => fields?.['root'] === tree('missing'))).toBe(true);
});

test('config/roots.json of the tools project is relative to the project', async () => {
  const tree = makeTree('project/config', 'project/data');
  writeFileSync(
    tree('project/config/roots.json'),
    JSON.stringify({ roots: [{ path: './data', name: 'Data' }] }),
  );
  const sources = await readFrom({ project: tree('project') });
  expect(statementOf(sources, 'config').roots).toMatchObject([{ path: tree('project/data'), name: 'Data' }]);
});

test('a configuration file counts before config/roots.json', async () => {
  const tree = makeTree('project/config', 'project/data', 'a');
  writeFileSync(tree('project/config/roots.json'), JSON.stringify({ roots: ['data'] }));
  const config = [{ file: tree('rootward.json'), roots: ['a'] }];
  const sources = await readFrom({ project: tree('project'), config });
  expect(pathsOf(statementOf(sources, 'config'))).toEqual([tree('a')]);
});

test.each(['{ not json', '[]', '{}', '{"roots":"x"}'])(
  'a broken config/roots.json (%s) is an error',
  async (text) => {
    const tree = makeTree('project/config');
    writeFileSync(tree('project/config/roots.json'), text);
    await expect(readFrom({ project: tree('project') })).rejects.toMatchObject({
      code: 'malformed',
      path: tree('project/config/roots.json'),
    });
  },
);

test('a config/roots.json that is a link to nowhere is an error', async () => {
  const tree = makeTree('project/config');
  symlinkSync(tree('missing'), tree('project/config/roots.json'));
  await expect(readFrom({ project: tree('project') })).rejects.toMatchObject({ code: 'malformed' });
});

test.each([
  ['readOnly', '"access": "read-only"'],
  ['Access', 'access'],
  ['acess', 'access'],
  ['mode', '"access"'],
  ['deny', 'rootward.json'],
])('a root with the unknown key %s is an error that names the nearest', async (key, nearest) => {
  const tree = makeTree('a');
  const config = [{ file: tree('rootward.json'), roots: [{ path: tree('a'), [key]: true }] }];
  const reading = readFrom({ config });
  await expect(reading).rejects.toMatchObject({ code: 'invalid-option' });
  await expect(reading).rejects.toThrow(`unknown key "${key}"`);
  await expect(reading).rejects.toThrow(nearest);
});

test('badRoots decides what becomes of a root that cannot be used, whatever the source', async () => {
  const tree = makeTree('a');
  const config = [{ file: tree('rootward.json'), roots: [tree('a'), tree('missing')] }];
  await expect(readFrom({ config, badRoots: 'fail' })).rejects.toMatchObject({ code: 'not-found' });
  const { warnings, log } = recordWarnings();
  const sources = await readFrom({ roots: [tree('missing'), tree('a')], badRoots: 'skip', log });
  expect(pathsOf(statementOf(sources, 'flag'))).toEqual([tree('a')]);
  expect(warnings).toHaveLength(1);
  const wrong = readFrom({ badRoots: 'ignore' as 'skip' });
  await expect(wrong).rejects.toThrow('expected "skip" or "fail"');
});

test('an empty list is no mistake, and says nothing', async () => {
  const tree = makeTree('a');
  const sources = await readFrom({ config: [{ file: tree('rootward.json'), roots: [] }] });
  expect(statementOf(sources, 'config')).toMatchObject({ given: false, rejected: [] });
});

test('without a configuration file the source says nothing', async () => {
  const { warnings, log } = recordWarnings();
  const tree = makeTree('project');
  const sources = await readFrom({ log, project: tree('project') });
  expect(statementOf(sources, 'config').given).toBe(false);
  expect(warnings).toEqual([]);
});
