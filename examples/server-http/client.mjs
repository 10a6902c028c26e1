// Starts server.mjs, drives it with two clients of different eras at once, and checks that each sees its own folder.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { check, finish, makeFolder } from '../check.mjs';

const mine = makeFolder('mine', 3);
const yours = makeFolder('yours', 5);
const server = spawn(
  process.execPath,
  [fileURLToPath(new URL('server.mjs', import.meta.url)), dirname(mine.path)],
  { stdio: ['ignore', 'pipe', 'inherit'] },
);
process.on('exit', () => server.kill());
const [address] = await once(createInterface({ input: server.stdout }), 'line');

async function connect(folder, mode) {
  const client = new Client(
    { name: 'example', version: '1.0.0' },
    { capabilities: { roots: {} }, versionNegotiation: { mode } },
  );
  client.setRequestHandler('roots/list', () => ({ roots: [{ uri: folder.uri }] }));
  await client.connect(new StreamableHTTPClientTransport(new URL(address)));
  return client;
}

async function count(client, path) {
  const { content, isError } = await client.callTool({ name: 'count_lines', arguments: { path } });
  return isError === true ? 'refused' : content[0].text;
}

const me = await connect(mine, 'legacy');
const you = await connect(yours, { pin: '2026-07-28' });

console.log(`Two clients of one server, ${me.getProtocolEra()} and ${you.getProtocolEra()}:`);
const both = await Promise.all([count(me, 'notes.txt'), count(you, 'notes.txt')]);
check('each sees its own folder', both, ['3', '5']);
check(
  'and not the other’s',
  [await count(me, yours.file), await count(you, mine.file)],
  ['refused', 'refused'],
);

const greedy = await connect({ uri: 'file:///' }, 'legacy');
check('who asks for everything gets the folder of the operator', await count(greedy, mine.file), '3');
check('and nothing beyond it', await count(greedy, '/etc/hostname'), 'refused');

await Promise.all([me, you, greedy].map((client) => client.close()));
server.kill();
finish();
