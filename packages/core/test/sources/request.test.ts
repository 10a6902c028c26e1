import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { readRequest, readRequestHints } from '../../src/sources/request.js';
import { makeTree } from '../workspace/scripted-client.js';
import { pathsOf } from './read-from.js';

function read(meta: unknown) {
  return readRequest(readRequestHints(meta), { home: '/nowhere/home' });
}

test('sandboxCwd of codex/sandbox-state-meta is a file URI', async () => {
  const tree = makeTree('a b');
  const meta = { 'codex/sandbox-state-meta': { sandboxCwd: pathToFileURL(tree('a b')).href } };
  expect(pathsOf(await read(meta))).toEqual([tree('a b')]);
});

test.each(['agent-working-dir', 'Agent-Working-Dir', 'AGENT-WORKING-DIR'])(
  '%s is a plain path',
  async (key) => {
    const tree = makeTree('a');
    const request = await read({ [key]: tree('a') });
    expect(request.roots).toMatchObject([{ path: tree('a'), source: 'request' }]);
  },
);

test.each([
  ['a plain path as sandboxCwd', { 'codex/sandbox-state-meta': { sandboxCwd: '/tmp' } }, 'not-a-file-uri'],
  ['a number as sandboxCwd', { 'codex/sandbox-state-meta': { sandboxCwd: 7 } }, 'malformed'],
  ['a relative directory', { 'agent-working-dir': 'x' }, 'not-absolute'],
  ['the whole disk', { 'agent-working-dir': '/' }, 'too-broad'],
  ['an object', { 'agent-working-dir': {} }, 'malformed'],
])('%s is ignored and traced', async (_, meta, reason) => {
  const request = await read(meta);
  expect(request).toMatchObject({ given: true, roots: [], rejected: [{ reason, source: 'request' }] });
});

test.each([undefined, null, 'x', [], {}, { progressToken: 1 }, { 'codex/sandbox-state-meta': null }])(
  'metadata without a directory (%j) says nothing',
  async (meta) => {
    expect(readRequestHints(meta)).toBeUndefined();
    expect((await read(meta)).given).toBe(false);
  },
);

function codex(directory: string, more: object) {
  return { 'codex/sandbox-state-meta': { sandboxCwd: pathToFileURL(directory).href, ...more } };
}

test('folders that the sandbox may write are roots, too, and special entries are none', async () => {
  const tree = makeTree('cwd', 'added', 'nested', 'read');
  const entries = [
    { path: { type: 'special', value: 'current_working_directory' }, access: 'write' },
    { type: 'path', path: tree('added'), access: 'write' },
    { path: { type: 'path', path: tree('nested') }, access: 'write' },
    { type: 'path', path: tree('read'), access: 'read' },
    { type: 'path', path: tree('cwd'), access: 'write' },
    { type: 'path', path: tree('missing'), access: 'write' },
    { type: 'path', path: '/', access: 'write' },
    'nonsense',
  ];
  const request = await read(codex(tree('cwd'), { permissionProfile: { file_system: { entries } } }));
  expect(pathsOf(request)).toEqual([tree('cwd'), tree('added'), tree('nested')]);
  expect(request.roots.every(({ access }) => access === 'read-write')).toBe(true);
  expect(request.rejected.map(({ reason }) => reason)).toEqual(['not-found', 'too-broad']);
});

test.each([
  [{ permissionProfile: { file_system: { entries: [{ type: 'path', path: '/', access: 'read' }] } } }],
  [{ permissionProfile: { file_system: { entries: [] } } }],
  [{ sandboxPolicy: { type: 'read-only' } }],
])('a sandbox that may write nowhere makes the call read-only (%j)', async (profile) => {
  const tree = makeTree('cwd');
  expect((await read(codex(tree('cwd'), profile))).roots).toMatchObject([{ access: 'read-only' }]);
});
