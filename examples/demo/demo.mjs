// A narrated tour with a real client and the real server, over stdio. It checks what it shows and ends by itself.
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const SERVER = fileURLToPath(new URL('../../packages/server/dist/rootward.cjs', import.meta.url));
const PROGRAMS = fileURLToPath(new URL('../../node_modules/.bin', import.meta.url));
const base = mkdtempSync(join(realpathSync(tmpdir()), 'rootward-demo-'));
const colour = process.stdout.isTTY ? (code, text) => `\u001B[${code}m${text}\u001B[0m` : (_, text) => text;
let surprises = 0;

function makeProject(name, files) {
  const folder = join(base, name);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

const shop = makeProject('shop', {
  'README.md': '# The shop\n',
  'src/price.ts': 'export function price(net: number): number {\n  return net * 1.19;\n}\n',
  'src/cart.ts':
    "import { price } from './price';\n\nexport const total = (nets: number[]): number[] => nets.map(price);\n",
});
const blog = makeProject('blog', { 'post.md': '# A post\n' });

const tell = (text) => console.log(`\n${colour(1, text)}`);
const shorten = (text) => text.replaceAll(base, '…');

function show(ok, what, detail) {
  if (!ok) surprises++;
  const mark = ok ? colour(32, '✓') : colour(31, '✗');
  console.log(`  ${mark} ${what}${detail === undefined ? '' : colour(2, `  ${shorten(detail)}`)}`);
}

async function open(folders, options = {}) {
  let asked = 0;
  const client = new Client(
    { name: 'demo', version: '1.0.0' },
    { capabilities: { roots: { listChanged: true } }, versionNegotiation: { mode: 'legacy' } },
  );
  client.setRequestHandler('roots/list', () => {
    asked++;
    if (options.silent === true) return new Promise(() => {});
    return { roots: folders.map((path) => ({ uri: pathToFileURL(path).href })) };
  });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [SERVER, ...(options.args ?? [])],
    // The language server is this repository's TypeScript; one inside an open folder would not be run.
    env: { PATH: `${PROGRAMS}${delimiter}${process.env.PATH}`, HOME: process.env.HOME },
    stderr: 'ignore',
  });
  await client.connect(transport);
  const call = async (name, args = {}) => {
    const result = await client.callTool({ name, arguments: args });
    return { refused: result.isError === true, text: result.content?.[0]?.text ?? '' };
  };
  return { client, call, asked: () => asked };
}

async function expectRead(session, path, refused) {
  const result = await session.call('read_text_file', { path });
  const [line] = result.text.trim().split('\n');
  show(result.refused === refused, `${refused ? 'refused' : 'allowed'}: read ${shorten(path)}`, line);
}

try {
  const folders = [shop];
  const session = await open(folders);

  tell('A client opens one folder, and the server asks for it once.');
  const info = await session.call('workspace_info');
  show(
    info.text.includes(shop),
    'workspace_info names the folder and where it came from',
    info.text.split('\n')[0],
  );
  show(session.asked() === 1, `the client was asked ${session.asked()} time`);

  tell('Reading inside is allowed, outside is refused with the reason.');
  await expectRead(session, join(shop, 'README.md'), false);
  await expectRead(session, join(blog, 'post.md'), true);
  await expectRead(session, '/etc/passwd', true);

  tell(
    'A symbol is found by its name, with everything that uses it, by a language server that knows only this folder.',
  );
  const references = await session.call('references', {
    symbol: 'price',
    file: join(shop, 'src', 'price.ts'),
  });
  show(references.text.includes('cart.ts'), 'references to price', references.text.split('\n')[0]);

  tell('The client opens a second folder while everything runs.');
  folders.push(blog);
  await session.client.sendRootsListChanged();
  await expectRead(session, join(blog, 'post.md'), false);

  tell('And closes it again: it is out of reach at once.');
  folders.pop();
  await session.client.sendRootsListChanged();
  await expectRead(session, join(blog, 'post.md'), true);
  await session.client.close();

  tell('A client that promises roots and never answers costs one short wait, and configuration takes over.');
  const silent = await open([], { silent: true, args: ['--root', shop] });
  await expectRead(silent, join(shop, 'README.md'), false);
  await expectRead(silent, join(blog, 'post.md'), true);
  await silent.client.close();

  tell(
    'An executable in a tools project becomes a tool, and gets the roots of the moment in its environment.',
  );
  const tools = makeProject('tools-project', {
    'tools/where.sh': [
      '#!/bin/sh',
      '# mcp: {"name": "where", "description": "Prints the roots", "inputSchema": {"type": "object"}}',
      'printf "%s\\n" "$MCP_ROOTS_PATHS"',
      '',
    ].join('\n'),
  });
  chmodSync(join(tools, 'tools', 'where.sh'), 0o755);
  const scripted = await open([shop, blog], { args: ['--project', tools] });
  const where = await scripted.call('where');
  show(
    where.text.trim() === `${shop}\n${blog}`,
    'the script prints both folders',
    where.text.trim().replace('\n', ', '),
  );
  await scripted.client.close();
} finally {
  rmSync(base, { recursive: true, force: true });
}

console.log(surprises === 0 ? '\nEverything went as told.' : `\n${surprises} things did not go as told.`);
process.exitCode = surprises === 0 ? 0 : 1;
