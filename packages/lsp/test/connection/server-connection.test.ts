import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { pathToFileUri } from '@rootward/core';
import { LanguageServers } from '@rootward/lsp';
import { Folder } from '../fixtures/folder.js';
import { liveWorkspace } from '../fixtures/live-workspace.js';
import { scripted } from '../fixtures/scripted.js';
import { eventually } from '../../../../testing/eventually.js';

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect === 'function') collect();
}

test('an answer is not kept once it was given', async () => {
  using home = new Folder({ 'x.toy': '' });
  using workspace = await liveWorkspace(home.path);
  await using servers = new LanguageServers(workspace, {
    servers: [scripted({}, { folders: 'file-driven' })],
  });
  const instance = await servers.forFile(workspace.scope(), home.at('x.toy'));
  const ask = async (): Promise<WeakRef<object>> => {
    const params = { textDocument: { uri: pathToFileUri(home.at('x.toy')) } };
    return new WeakRef((await instance.request('textDocument/documentSymbol', params)) ?? {});
  };
  const answers = [await ask(), await ask(), await ask()];
  await eventually(() => {
    collectGarbage();
    // The last one may still be on some stack.
    expect(answers[0]?.deref()).toBeUndefined();
  });
  expect(instance.broken).toBeUndefined();
});
