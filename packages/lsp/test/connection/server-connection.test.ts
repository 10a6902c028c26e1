import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { pathToFileUri, systemClock } from '@rootward/core';
import { LanguageServers } from '@rootward/lsp';
import { ServerConnection } from '../../src/connection/server-connection.js';
import { spawnServer } from '../../src/connection/spawn-server.js';
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
  const instance = await servers.ask(workspace.scope(), home.at('x.toy'), async (its) => its);
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

/** Reads nothing any more, and ends as one that crashes when it is told to. */
const DEAF = `
require('node:fs').closeSync(0);
process.on('SIGTERM', () => process.exit(3));
setInterval(() => undefined, 1000);
process.stderr.write('deaf');`;

test.runIf(process.platform !== 'win32')(
  'a request that cannot be written fails with how the server ended',
  async () => {
    using home = new Folder({});
    const server = await spawnServer({
      name: 'deaf',
      program: process.execPath,
      args: ['-e', DEAF],
      directory: home.path,
      environment: {},
    });
    await eventually(() => expect(server.lastLines()).toEqual(['deaf']));
    const connection = new ServerConnection('deaf', server, systemClock);
    const asked = connection
      .request('shutdown', undefined, { timeout: 100_000 })
      .catch((error: unknown) => error);
    await eventually(() => expect(server.child.stdin.writable).toBe(false));
    process.kill(server.pid, 'SIGTERM');
    expect(await asked).toMatchObject({
      code: 'crashed',
      message: 'Cannot ask deaf: it ended with exit code 3',
    });
  },
);
