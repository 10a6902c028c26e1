import { expect, test } from 'vitest';
import { makeTree } from '../workspace/scripted-client.js';
import { pathsOf, readFrom, statementOf } from './read-from.js';

test.each(['ROOTWARD_ROOTS', 'MCPBASH_ROOTS'])('%s holds paths with the platform separator', async (name) => {
  const tree = makeTree('a', 'b');
  const sources = await readFrom({ environment: { [name]: `${tree('b')}::${tree('a')}:` } });
  expect(pathsOf(statementOf(sources, 'env'))).toEqual([tree('b'), tree('a')]);
});

test('ROOTWARD_ROOTS counts before MCPBASH_ROOTS', async () => {
  const tree = makeTree('a', 'b');
  const environment = { ROOTWARD_ROOTS: tree('a'), MCPBASH_ROOTS: tree('b') };
  expect(pathsOf(statementOf(await readFrom({ environment }), 'env'))).toEqual([tree('a')]);
});

test.each(['ROOTWARD_ROOTS', 'MCPBASH_ROOTS'])(
  'a bad path in %s fails fast, naming the path',
  async (name) => {
    const tree = makeTree('a');
    const environment = { [name]: `${tree('a')}:${tree('missing')}` };
    await expect(readFrom({ environment })).rejects.toMatchObject({
      code: 'not-found',
      path: tree('missing'),
    });
    await expect(readFrom({ environment })).rejects.toThrow(name);
  },
);

test('relative paths in MCPBASH_ROOTS are below the tools project, in ROOTWARD_ROOTS they fail fast', async () => {
  const tree = makeTree('project/data');
  const project = tree('project');
  const given = await readFrom({ project, environment: { MCPBASH_ROOTS: './data' } });
  expect(pathsOf(statementOf(given, 'env'))).toEqual([tree('project/data')]);
  const inherited = await readFrom({
    environment: { MCPBASH_ROOTS: 'data', MCPBASH_PROJECT_ROOT: project },
  });
  expect(pathsOf(statementOf(inherited, 'env'))).toEqual([tree('project/data')]);
  await expect(readFrom({ project, environment: { ROOTWARD_ROOTS: 'data' } })).rejects.toMatchObject({
    code: 'not-absolute',
  });
});

test('an unexpanded variable fails fast as such', async () => {
  await expect(readFrom({ environment: { ROOTWARD_ROOTS: '${HOME}/x' } })).rejects.toMatchObject({
    code: 'unexpanded',
  });
});

test('an empty variable says nothing', async () => {
  const sources = await readFrom({ environment: { ROOTWARD_ROOTS: '', MCPBASH_ROOTS: '' } });
  expect(statementOf(sources, 'env').given).toBe(false);
});

test.each([
  ['ROOTWARD_ROOTS', ' : '],
  ['MCPBASH_ROOTS', ' : '],
  ['ROOTWARD_ROOTS', ' '],
  ['MCPBASH_ROOTS', ' '],
])('%s of separators and blanks alone (%j) fails fast', async (name, text) => {
  await expect(readFrom({ environment: { [name]: text } })).rejects.toMatchObject({
    code: 'invalid-option',
    message: `Cannot use ${JSON.stringify(text)} as ${name}: it names nothing; leave it empty for none`,
  });
});

test.each(['ROOTWARD_ROOTS', 'MCPBASH_ROOTS'])('on Windows %s is separated by semicolons', async (name) => {
  const sources = await readFrom({
    style: 'windows',
    home: 'C:\\Users\\me',
    environment: { [name]: 'c:\\work;D:\\data' },
    disk: { realpath: (path) => Promise.resolve(path), inspect: () => 'directory' },
  });
  expect(pathsOf(statementOf(sources, 'env'))).toEqual(['C:\\work', 'D:\\data']);
});
