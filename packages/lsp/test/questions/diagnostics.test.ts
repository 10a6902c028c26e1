import { afterEach, beforeEach, expect, test } from 'vitest';
import { pathToFileUri } from '@rootward/core';
import { diagnostics } from '@rootward/lsp';
import { CodeWorkspace } from '../fixtures/code-workspace.js';
import { scripted } from '../fixtures/scripted.js';

const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } };
const ITEMS = [{ range, severity: 1, message: 'wrong' }];

let code: CodeWorkspace;

beforeEach(async () => {
  code = await CodeWorkspace.open({ 'root/x.toy': 'x' }, 'root');
});

afterEach(() => code.dispose());

test('diagnostics() asks a server that registers for the question after the handshake', async () => {
  const answers = { 'textDocument/diagnostic': { kind: 'full', items: ITEMS } };
  const register = ['textDocument/diagnostic', 'workspace/didChangeWorkspaceFolders'];
  const context = code.serve({ servers: [scripted({ register, answers })] });
  const file = code.at('root/x.toy');
  expect(await diagnostics(context, { file })).toMatchObject({
    files: [{ file, diagnostics: [{ line: 1, message: 'wrong' }] }],
    complete: true,
    notes: [],
  });
});

test('diagnostics() of a server that may send more says so', async () => {
  const file = code.at('root/x.toy');
  const publishes = { uri: pathToFileUri(file), diagnostics: ITEMS };
  const servers = [scripted({ publishes }, { folders: 'shared' })];
  expect(await diagnostics(code.serve({ servers }), { file })).toMatchObject({
    files: [{ file, diagnostics: [{ message: 'wrong' }] }],
    complete: false,
    notes: ['scripted does not tell when it has found everything: there may be more problems'],
  });
  const sendsAll = servers.map((definition) => ({ ...definition, sendsAll: 'at once' as const }));
  const all = await diagnostics(code.serve({ servers: sendsAll }), { file });
  expect(all).toMatchObject({ complete: true, notes: [] });
});
