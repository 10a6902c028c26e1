import { writeFileSync } from 'node:fs';
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
  'a useless config/roots.json (%s) is warned about, not fatal',
  async (text) => {
    const tree = makeTree('project/config');
    writeFileSync(tree('project/config/roots.json'), text);
    const { warnings, log } = recordWarnings();
    const sources = await readFrom({ log, project: tree('project') });
    expect(statementOf(sources, 'config').roots).toEqual([]);
    expect(warnings).toHaveLength(1);
  },
);

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
