import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { startHttp, TOKEN } from './fixtures/http.js';
import { makeFolders, textOf } from './fixtures/rootward.js';
import { connectSdkClient, SDK_CLIENTS } from './fixtures/sdk-clients.js';
import type { Place, SdkClient, SdkClientKind } from './fixtures/sdk-clients.js';

const folders = makeFolders('a', 'b', 'outside');
const SECRET = join(folders.path('outside'), 'secret.txt');
writeFileSync(SECRET, 'nobody may read this');
const clients: SdkClient[] = [];
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

async function connect(kind: SdkClientKind, place: Place, root?: 'a' | 'b'): Promise<SdkClient> {
  const client = await connectSdkClient(kind, place, root && [{ uri: folders.uri(root) }]);
  clients.push(client);
  return client;
}

describe.each(SDK_CLIENTS)('the official client %s over stdio', (kind) => {
  test('sees the tools, the instructions and the resources', async () => {
    const client = await connect(kind, { args: [] }, 'a');
    expect(await client.tools()).toEqual(
      expect.arrayContaining(['workspace_info', 'read_text_file', 'edit_file']),
    );
    expect(client.instructions()).toContain('workspace_info');
    expect(JSON.stringify(await client.read('workspace://roots'))).toContain(folders.path('a'));
  });

  test('reads inside its root and is refused outside', async () => {
    const client = await connect(kind, { args: [] }, 'a');
    expect(textOf(await client.call('read_text_file', { path: 'name.txt' }))).toBe('a');
    const refused = await client.call('read_text_file', { path: SECRET });
    expect(refused['isError']).toBe(true);
    expect(JSON.stringify(refused)).not.toContain('nobody may read this');
  });

  test('gets the roots of the command line when it knows none', async () => {
    const client = await connect(kind, { args: [folders.path('b')] });
    expect(textOf(await client.call('read_text_file', { path: 'name.txt' }))).toBe('b');
  });

  test('cannot go beyond --within', async () => {
    const client = await connect(kind, { args: ['--within', folders.path('a')] }, 'b');
    const refused = await client.call('read_text_file', { path: `${folders.path('b')}/name.txt` });
    expect(refused['isError']).toBe(true);
  });
});

describe.each(SDK_CLIENTS)('the official client %s over HTTP', (kind) => {
  test('reads inside the root of the operator, and cannot widen it', async () => {
    const { url } = await startHttp([folders.path('a')]);
    const client = await connect(kind, { url, token: TOKEN }, 'b');
    expect(textOf(await client.call('read_text_file', { path: 'name.txt' }))).toBe('a');
    const refused = await client.call('read_text_file', { path: `${folders.path('b')}/name.txt` });
    expect(refused['isError']).toBe(true);
  });

  test('can narrow the root of the operator', async () => {
    const { url } = await startHttp([folders.top]);
    const client = await connect(kind, { url, token: TOKEN }, 'b');
    expect(textOf(await client.call('read_text_file', { path: 'name.txt' }))).toBe('b');
    expect((await client.call('read_text_file', { path: `${folders.path('a')}/name.txt` }))['isError']).toBe(
      true,
    );
  });
});
