// Drives server.mjs with the client of SDK v1, and checks what it says.
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ListRootsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { check, finish, makeFolder } from '../check.mjs';

const server = fileURLToPath(new URL('server.mjs', import.meta.url));
const project = makeFolder('project', 3);
const other = makeFolder('other', 5);

let folders = [project];
let asked = 0;
const client = new Client(
  { name: 'example', version: '1.0.0' },
  { capabilities: { roots: { listChanged: true } } },
);
client.setRequestHandler(ListRootsRequestSchema, () => {
  asked++;
  return { roots: folders.map(({ uri }) => ({ uri })) };
});
await client.connect(new StdioClientTransport({ command: process.execPath, args: [server] }));

const call = (name, args = {}) => client.callTool({ name, arguments: args });
const textOf = ({ content }) => content[0].text;

console.log('A client of SDK v1:');
const [info, counted] = await Promise.all([
  call('workspace_info'),
  call('count_lines', { path: 'notes.txt' }),
]);
check('the server knows the folder', JSON.parse(textOf(info)), [project.path]);
check('a file, by relative path', textOf(counted), '3');
check('it has asked once', asked, 1);

const refused = await call('count_lines', { path: other.file });
check('a file elsewhere is refused', refused.isError, true);
check('and says why', refused.structuredContent.error_type, 'outside_roots');

folders = [other];
await client.sendRootsListChanged();
const early = await call('count_lines', { path: 'notes.txt' });
check('after a change, a relative path waits until the folders have been seen', early.isError, true);
await call('workspace_info');
check('then it starts in the other folder', textOf(await call('count_lines', { path: 'notes.txt' })), '5');

await client.close();
finish();
