import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import {
  answering,
  answeringWith,
  connectToProcess,
  inTurn,
  ScriptedClient,
} from '../../src/testing/index.js';
import type { ScriptedClientOptions, SpawnedConnection } from '../../src/testing/index.js';
import { makeFolders } from '../../../../testing/temporary-folders.js';

const SERVER = fileURLToPath(new URL('../fixtures/roots-server.mjs', import.meta.url));
const roots = makeFolders('a');
const A = [{ uri: roots.uri('a') }];
const PATIENT = JSON.stringify({ readyTimeout: 3_600_000, answerTimeout: 3_600_000 });

async function start(options: ScriptedClientOptions): Promise<[ScriptedClient, SpawnedConnection]> {
  const connection = connectToProcess(process.execPath, { args: [SERVER, '--stdio', PATIENT] });
  const client = new ScriptedClient(connection, options);
  await client.connect();
  return [client, connection];
}

const look = (client: ScriptedClient, n: number) => client.callTool('look', { n });
const seen = (n: number, ...paths: string[]) => ({ structuredContent: { n, before: paths, after: paths } });

test('a server on the other side of a pipe survives whatever is sent, quietly', async () => {
  const [client, connection] = await start({ roots: answering(A) });
  const nonsense: (Buffer | string)[] = [
    'not json\n',
    '{"jsonrpc":"2.0","id":1,"method":\n',
    '\n\r\n   \n',
    '[]\n[[]]\n[1,2,3]\nnull\n"text"\n7\n',
    Buffer.from([0x00, 0xff, 0xfe, 0xc3, 0x28, 0x0a]),
    '{"jsonrpc":"2.0","id":"","result":{"roots":[]}}\n',
    '{"jsonrpc":"2.0","id":0,"result":{"roots":[]}}\n',
    '{"jsonrpc":"2.0","id":999,"error":{"code":1,"message":"who?"}}\n',
    '{"jsonrpc":"2.0","id":null,"method":"tools/list"}\n',
    '{"jsonrpc":"2.0","method":"notifications/unknown"}\n',
    '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":12345}}\n',
  ];
  // The one real question is answered by now: an answer with its number is as unasked for as the others.
  expect(await look(client, 0)).toMatchObject(seen(0, roots.path('a')));
  for (const each of nonsense) client.sendBytes(Buffer.from(each as string));
  expect(await look(client, 1)).toMatchObject(seen(1, roots.path('a')));
  await client.close();
  expect(await connection.exit).toBe(0);
  expect(connection.stderr()).toBe('');
});

test('two requests with one id are both answered', async () => {
  const [client] = await start({ roots: answering(A) });
  const ping = client.prepare('twice', 'ping');
  client.send(ping, ping);
  await client.until(
    () => client.received.filter((message) => 'id' in message && message.id === 'twice').length === 2,
  );
  expect(await look(client, 1)).toMatchObject(seen(1, roots.path('a')));
  await client.close();
});

test('a batch is answered by a batch on 2025-03-26, questions of the server included', async () => {
  const [client] = await start({ roots: answering(A), protocolVersion: '2025-03-26' });
  const call = client.prepare('call', 'tools/call', { name: 'look', arguments: { n: 1 } });
  const called = client.expect('call', () => undefined);
  const pinged = client.expect('ping', () => client.send([call, client.prepare('ping', 'ping')]));
  expect(await called).toMatchObject(seen(1, roots.path('a')));
  expect(await pinged).toEqual({});
  await client.close();
});

test('a malformed answer is no answer, and no reason to wait for another', async () => {
  const [client] = await start({ roots: inTurn(answeringWith(null), answering(A)) });
  expect(await look(client, 1)).toMatchObject(seen(1));
  client.changeRoots();
  expect(await look(client, 2)).toMatchObject(seen(2, roots.path('a')));
  await client.close();
});

test('a client that breaks off in the middle of a message is let go', async () => {
  const [client, connection] = await start({ roots: answering(A) });
  client.drop(Buffer.from('{"jsonrpc":"2.0","id":1,"meth'));
  expect(await connection.exit).toBe(0);
  expect(connection.stderr()).toBe('');
});
