import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { makeTree } from '../workspace/scripted-client.js';
import { pathsOf, readFrom, statementOf } from './read-from.js';

test('the tools project is a root, named by option or by MCPBASH_PROJECT_ROOT', async () => {
  const tree = makeTree('project', 'other');
  const named = await readFrom({ project: 'project', directory: tree('') });
  expect(pathsOf(statementOf(named, 'project'))).toEqual([tree('project')]);
  const inherited = await readFrom({ environment: { MCPBASH_PROJECT_ROOT: tree('other') } });
  expect(pathsOf(statementOf(inherited, 'project'))).toEqual([tree('other')]);
});

test('a tools project that is missing or a file fails fast, naming the path', async () => {
  const tree = makeTree('a');
  writeFileSync(tree('file'), '');
  await expect(readFrom({ project: tree('missing') })).rejects.toMatchObject({
    code: 'not-found',
    path: tree('missing'),
  });
  await expect(readFrom({ project: tree('file') })).rejects.toMatchObject({
    code: 'not-a-directory',
    path: tree('file'),
  });
  await expect(readFrom({ environment: { MCPBASH_PROJECT_ROOT: 'relative' } })).rejects.toMatchObject({
    code: 'not-absolute',
  });
});

test('a tools project outside the ceiling is simply no root', async () => {
  const tree = makeTree('project', 'allowed');
  const sources = await readFrom({ project: tree('project'), within: [tree('allowed')] });
  expect(statementOf(sources, 'project')).toMatchObject({
    roots: [],
    rejected: [{ reason: 'outside-ceiling' }],
  });
});
