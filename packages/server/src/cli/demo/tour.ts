import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DemoClient } from './demo-client.js';
import type { TourPlace } from './tour-place.js';
import { followWorkingTrees } from './working-trees.js';

/** A tour with a real client and real servers over stdio, in folders that are made for it. */
export async function tour(place: TourPlace): Promise<void> {
  const shop = await makeProject(place, 'shop', {
    'README.md': '# The shop\n',
    'src/price.ts': 'export function price(net: number): number {\n  return net * 1.19;\n}\n',
    'src/cart.ts':
      "import { price } from './price';\n\nexport const total = (nets: number[]): number[] => nets.map(price);\n",
  });
  const blog = await makeProject(place, 'blog', { 'post.md': '# A post\n' });
  await followFolders(place, shop, blog);
  await surviveSilence(place, shop, blog);
  await runScripts(place, shop, blog);
  await followWorkingTrees(place);
}

async function followFolders(place: TourPlace, shop: string, blog: string): Promise<void> {
  const { narrator } = place;
  const folders = [shop];
  await using client = await open(place, folders);

  narrator.tell('A client opens one folder, and the server asks for it once.');
  const info = await client.call('workspace_info');
  narrator.show(
    info.text.includes(shop),
    'workspace_info names the folder and where it came from',
    info.text.split('\n')[0],
  );
  narrator.show(client.asked === 1, `the client was asked ${client.asked} time`);

  narrator.tell('Reading inside is allowed, outside is refused with the reason.');
  await read(place, client, join(shop, 'README.md'), true);
  await read(place, client, join(blog, 'post.md'), false);
  await read(place, client, '/etc/passwd', false);

  narrator.tell(
    'A symbol is found by its name, with everything that uses it, by a language server that knows only this folder.',
  );
  const file = join(shop, 'src', 'price.ts');
  const references = await client.call('references', { symbol: 'price', file });
  if (references.refused) narrator.leaveOut('no TypeScript language server is installed here');
  else
    narrator.show(references.text.includes('cart.ts'), 'references to price', references.text.split('\n')[0]);

  narrator.tell('The client opens a second folder while everything runs.');
  folders.push(blog);
  client.announceFolders();
  await read(place, client, join(blog, 'post.md'), true);

  narrator.tell('And closes it again: it is out of reach at once.');
  folders.pop();
  client.announceFolders();
  await read(place, client, join(blog, 'post.md'), false);
}

async function surviveSilence(place: TourPlace, shop: string, blog: string): Promise<void> {
  place.narrator.tell(
    'A client that promises roots and never answers costs one short wait, and configuration takes over.',
  );
  await using client = await open(place, undefined, ['--root', shop]);
  await read(place, client, join(shop, 'README.md'), true);
  await read(place, client, join(blog, 'post.md'), false);
}

async function runScripts(place: TourPlace, shop: string, blog: string): Promise<void> {
  const { narrator } = place;
  narrator.tell(
    'An executable in a tools project becomes a tool, and gets the roots of the moment in its environment.',
  );
  if (process.platform === 'win32') {
    narrator.leaveOut('this one is a shell script');
    return;
  }
  const tools = await makeProject(place, 'tools-project', {
    'tools/where.sh': [
      '#!/bin/sh',
      '# mcp: {"name": "where", "description": "Prints the roots", "inputSchema": {"type": "object"}}',
      String.raw`printf "%s\n" "$MCP_ROOTS_PATHS"`,
      '',
    ].join('\n'),
  });
  await chmod(join(tools, 'tools', 'where.sh'), 0o755);
  await using client = await open(place, [shop, blog], ['--project', tools]);
  const where = (await client.call('where')).text.trim();
  narrator.show(where === `${shop}\n${blog}`, 'the script prints both folders', where.replace('\n', ', '));
}

async function makeProject(
  { base }: TourPlace,
  name: string,
  files: Readonly<Record<string, string>>,
): Promise<string> {
  const folder = join(base, name);
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  return folder;
}

function open(
  { program, environment, base }: TourPlace,
  folders: readonly string[] | undefined,
  args: readonly string[] = [],
): Promise<DemoClient> {
  return DemoClient.open({ command: [...program, ...args], environment, directory: base, folders });
}

async function read(
  { narrator }: TourPlace,
  client: DemoClient,
  path: string,
  allowed: boolean,
): Promise<void> {
  const { refused, text } = await client.call('read_text_file', { path });
  const verdict = allowed ? 'allowed' : 'refused';
  narrator.show(refused !== allowed, `${verdict}: read ${path}`, text.trim().split('\n')[0]);
}
