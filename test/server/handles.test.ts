import { describe, expect, test } from 'vitest';
import { connectSdkClient } from './fixtures/sdk-clients.js';
import { startHttp, TOKEN, type HttpRootward } from './fixtures/http.js';
import { makeFolders, textOf } from './fixtures/rootward.js';

const folders = makeFolders('a', 'b');
const KEY = { ROOTWARD_HANDLE_KEY: 'k'.repeat(32) };

function start(env: NodeJS.ProcessEnv): Promise<HttpRootward> {
  return startHttp(['--within', folders.top], { env });
}

/** Reads with a handle of the first at the second. */
async function readAtSecond(first: NodeJS.ProcessEnv, second: NodeJS.ProcessEnv): Promise<string> {
  const [minting, reading] = await Promise.all([start(first), start(second)]);
  const roots = [{ uri: folders.uri('b') }];
  const mint = await connectSdkClient('v2 modern', { url: minting.url, token: TOKEN }, roots);
  const info = await mint.call('workspace_info');
  const { workspace } = info['structuredContent'] as { workspace: string };
  const read = await connectSdkClient('v2 modern', { url: reading.url, token: TOKEN }, undefined);
  const result = await read.call('read_text_file', { path: 'name.txt', workspace });
  await Promise.all([mint.close(), read.close()]);
  return textOf(result);
}

describe('two servers behind one address', () => {
  test('accept the handles of each other when they share a key', async () => {
    expect(await readAtSecond(KEY, KEY)).toBe('b');
  });

  test('refuse them otherwise, and say what to do', async () => {
    const advice = 'Omit `workspace`, or call workspace_info for a new one';
    expect(await readAtSecond(KEY, { ROOTWARD_HANDLE_KEY: 'o'.repeat(32) })).toContain(advice);
    expect(await readAtSecond({}, {})).toContain(advice);
  });
});
