// Drives server.mjs as a client of each era would, and checks what it says.
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { check, finish, makeFolder } from '../check.mjs';

const server = fileURLToPath(new URL('server.mjs', import.meta.url));
const project = makeFolder('project', 3);
const other = makeFolder('other', 5);

const textOf = ({ content }) => content[0].text;

for (const era of ['legacy', 'modern']) {
  console.log(`\nA client of the ${era} era:`);
  let folders = [project];
  let asked = 0;
  const client = new Client(
    { name: 'example', version: '1.0.0' },
    {
      capabilities: { roots: { listChanged: true }, elicitation: { form: {} } },
      versionNegotiation: { mode: era === 'legacy' ? 'legacy' : { pin: '2026-07-28' } },
    },
  );
  client.setRequestHandler('roots/list', () => {
    asked++;
    return { roots: folders.map(({ uri }) => ({ uri })) };
  });
  let says = 'decline';
  client.setRequestHandler('elicitation/create', () => ({ action: says }));
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [server] }));

  const call = (name, args = {}) => client.callTool({ name, arguments: args });

  const { structuredContent: info } = await call('workspace_info');
  check('the server knows the folder', info.roots, [project.path]);
  check('it has asked once', asked, 1);

  const handle = era === 'modern' ? { workspace: info.handle } : {};
  check('a file, by relative path', textOf(await call('count_lines', { path: 'notes.txt', ...handle })), '3');
  if (era === 'modern') check('it still has asked once', asked, 1);

  const refused = await call('count_lines', { path: other.file, ...handle });
  check('a file elsewhere is refused', refused.isError, true);
  check('and says why', refused.structuredContent.error_type, 'outside_roots');

  const { messages } = await client.getPrompt({ name: 'review' });
  check('a prompt knows the project', messages[0].content.text, 'Review the project project');

  folders = [other];
  if (era === 'legacy') {
    await client.sendRootsListChanged();
    const early = await call('count_lines', { path: 'notes.txt' });
    check('after a change, a relative path waits until the folders have been seen', early.isError, true);
    await call('workspace_info');
  }
  check('then it starts in the other folder', textOf(await call('count_lines', { path: 'notes.txt' })), '5');

  const declined = await call('switch_project', { project: project.path });
  check('another folder is not opened against the will of the user', declined.isError, true);
  says = 'accept';
  const { structuredContent: opened } = await call('switch_project', { project: project.path });
  const later = era === 'modern' ? { workspace: opened.handle } : {};
  check('with it, it is', textOf(await call('count_lines', { path: project.file, ...later })), '3');
  check('beside the others', textOf(await call('count_lines', { path: other.file, ...later })), '5');

  await client.close();
}
finish();
