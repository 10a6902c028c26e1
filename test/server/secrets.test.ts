import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { authorized, INITIALIZE, send, startHttp, TOKEN } from './fixtures/http.js';
import { makeFolders } from './fixtures/rootward.js';

const folders = makeFolders('a');

test.runIf(process.platform === 'linux')(
  'a token in the environment cannot be read from /proc while the server runs',
  async () => {
    const key = 'k'.repeat(40);
    const { server, url } = await startHttp([folders.path('a')], { env: { ROOTWARD_HANDLE_KEY: key } });
    const environ = readFileSync(`/proc/${server.process.pid}/environ`, 'utf8');
    expect(environ).toContain('ROOTWARD_TOKEN=xxx');
    expect(environ).not.toContain(TOKEN);
    expect(environ).not.toContain(key);
    expect((await send(url, authorized(TOKEN), INITIALIZE)).status).toBe(200);
  },
);

test('--token-file lets in those who have a token of the file', async () => {
  const file = join(folders.path('a'), 'tokens');
  writeFileSync(file, 'a-token-from-a-file\n');
  chmodSync(file, 0o600);
  const { url, server } = await startHttp([folders.path('a'), '--token-file', file]);
  expect((await send(url, authorized('a-token-from-a-file'), INITIALIZE)).status).toBe(200);
  expect((await send(url, authorized(TOKEN), INITIALIZE)).status).toBe(401);
  expect(server.stderr()).not.toContain('token file');
});
