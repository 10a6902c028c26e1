import { afterEach, beforeEach, expect, test } from 'vitest';
import { pathToFileUri } from '@rootward/core';
import {
  definition,
  diagnostics,
  EditJournal,
  findSymbol,
  outline,
  references,
  renameSymbol,
} from '@rootward/lsp';
import type { CodeContext } from '@rootward/lsp';
import { CodeWorkspace } from '../fixtures/code-workspace.js';
import { environment, known } from '../fixtures/real-servers.js';
import { scripted, type Script } from '../fixtures/scripted.js';

let home: CodeWorkspace;

beforeEach(async () => {
  home = await CodeWorkspace.open({ 'in/x.toy': 'word\n', 'out/secret.toy': 'word\n' }, 'in');
});

afterEach(() => home.dispose());

function serve(script: Script): CodeContext {
  return home.serve({
    servers: [scripted(script, { folders: 'file-driven' })],
    limits: { settleTimeout: 0 },
  });
}

const CAPABILITIES = {
  hoverProvider: true,
  definitionProvider: true,
  referencesProvider: true,
  renameProvider: true,
  workspaceSymbolProvider: true,
  diagnosticProvider: {},
};
const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 4 } };

test('what a server says in words names no place out of scope, in any tool', async () => {
  const secret = home.at('out/secret.toy');
  const here = { uri: pathToFileUri(home.at('in/x.toy')), range };
  const code = serve({
    capabilities: CAPABILITIES,
    answers: {
      'textDocument/definition': here,
      'textDocument/hover': { contents: `re-exported by ${secret}, see ${pathToFileUri(secret)}` },
      'textDocument/documentSymbol': [{ name: `module ${secret}`, kind: 2, range, selectionRange: range }],
      'workspace/symbol': [{ name: 'word', kind: 12, containerName: secret, location: here }],
      'textDocument/diagnostic': {
        kind: 'full',
        items: [{ range, message: `clashes with ${secret}`, source: secret, code: secret }],
      },
    },
  });
  const file = home.at('in/x.toy');
  const answers = [
    await definition(code, { symbol: 'word', file }),
    await outline(code, { file }),
    await findSymbol(code, { query: 'word' }),
    await diagnostics(code, { file }),
  ];
  expect(answers).toMatchObject([
    { hover: 're-exported by (outside the roots), see (outside the roots)' },
    { symbols: [{ name: 'module (outside the roots)' }] },
    { files: [{ symbols: [{ name: 'word' }] }] },
    {
      files: [
        { diagnostics: [{ message: 'clashes with (outside the roots)', source: '(outside the roots)' }] },
      ],
    },
  ]);
  expect(JSON.stringify(answers)).not.toContain('secret');
});

test('a server’s own error names no place out of scope, in any tool', async () => {
  const failure = `cannot read ${home.at('out/secret.toy')} or ${home.at('in/x.toy')}`;
  const methods = ['definition', 'references', 'rename', 'documentSymbol', 'diagnostic'];
  const code = serve({
    capabilities: CAPABILITIES,
    failures: Object.fromEntries([
      ...methods.map((method) => [`textDocument/${method}`, failure]),
      ['workspace/symbol', failure],
    ]),
  });
  const request = { symbol: 'word', file: home.at('in/x.toy'), line: 1 };
  const expected = {
    code: 'server-error',
    message: `Cannot ask scripted: cannot read (outside the roots) or ${home.at('in/x.toy')}`,
  };
  const journal = new EditJournal(home.at('journal'));
  await expect(definition(code, request)).rejects.toMatchObject(expected);
  await expect(references(code, request)).rejects.toMatchObject(expected);
  await expect(renameSymbol(code, { ...request, newName: 'x' }, journal)).rejects.toMatchObject(expected);
  await expect(outline(code, request)).rejects.toMatchObject(expected);
  await expect(diagnostics(code, request)).rejects.toMatchObject(expected);
  expect(await findSymbol(code, { query: 'word' })).toMatchObject({ notes: [expected.message] });
  expect((await diagnostics(code, {})).notes).toEqual([expected.message]);
});

test.each([{}, [null], [{}], 'nonsense', 7])(
  'an answer that is not as the protocol says, such as %j, is a failure of the server',
  async (junk) => {
    const methods = ['definition', 'references', 'rename', 'documentSymbol', 'diagnostic'];
    const code = serve({
      capabilities: CAPABILITIES,
      answers: Object.fromEntries([
        ...methods.map((method) => [`textDocument/${method}`, junk]),
        ['workspace/symbol', junk],
      ]),
    });
    const request = { symbol: 'word', file: home.at('in/x.toy'), line: 1 };
    const journal = new EditJournal(home.at('journal'));
    const failure = { code: 'server-error' };
    await expect(definition(code, request)).rejects.toMatchObject(failure);
    await expect(references(code, request)).rejects.toMatchObject(failure);
    await expect(renameSymbol(code, { ...request, newName: 'x' }, journal)).rejects.toMatchObject(failure);
    await expect(outline(code, request)).rejects.toMatchObject(failure);
    await expect(diagnostics(code, request)).rejects.toMatchObject(failure);
    expect(await findSymbol(code, { query: 'word' })).toMatchObject({
      complete: false,
      notes: [expect.stringContaining('not what the protocol says')],
    });
  },
);

test('an error of a server that starts names no place out of scope', async () => {
  const code = serve({ failures: { initialize: `cannot read ${home.at('out/secret.toy')}` } });
  const message = 'Cannot ask scripted: cannot read (outside the roots)';
  await expect(outline(code, { file: home.at('in/x.toy') })).rejects.toMatchObject({ message });
  expect((await findSymbol(code, { query: 'word' })).notes).toEqual([message]);
});

test('a name of great length is cut', async () => {
  const name = 'word after word '.repeat(1_000);
  const location = { uri: pathToFileUri(home.at('in/x.toy')), range };
  const code = serve({
    capabilities: CAPABILITIES,
    answers: {
      'textDocument/documentSymbol': [{ name, kind: 2, range, selectionRange: range }],
      'workspace/symbol': [{ name, kind: 12, containerName: name, location }],
    },
  });
  const cut = `${name.slice(0, 200)}…`;
  expect((await outline(code, { file: home.at('in/x.toy') })).symbols).toMatchObject([{ name: cut }]);
  expect((await findSymbol(code, { query: 'word' })).files).toMatchObject([
    { symbols: [{ name: cut, container: cut }] },
  ]);
});

test('a hover text of TypeScript keeps paths in scope and what the source says, and no others', async () => {
  home.write({
    'in/tsconfig.json': '{}',
    'in/near.ts': "export const near = 1;\nexport const far = import('../out/far');\n",
    'in/deep/use.ts':
      "import { far } from '../near';\n\n/** Written to /etc/hostname. */\nexport const both = [far, import('../near')] as const;\n",
    'out/far.ts': 'export const secret = 1;\n',
  });
  await home.giveRoots('in');
  const code = home.serve({ servers: known('typescript'), environment });
  const { hover } = await definition(code, { symbol: 'both', file: home.at('in/deep/use.ts') });
  expect(hover).toContain('import("(outside the roots)")');
  expect(hover).toContain('import("../near")');
  expect(hover).toContain('Written to /etc/hostname.');
});
