import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { CallToolResult, Tool } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { closePair, connectPair, edit, fill, plant, type Call, type Pair } from '../fixtures/server-pair.js';
import { makeTree } from '../fixtures/temp-tree.js';

function strip({ content }: CallToolResult, root: string): CallToolResult['content'] {
  return JSON.parse(JSON.stringify(content).replaceAll(root, '<root>')) as CallToolResult['content'];
}

/** Annotations with the values that the protocol assumes for those that are left out. */
function effective(given: Tool['annotations']): Readonly<Record<string, unknown>> {
  const { title: _title, ...told } = given ?? {};
  const all = {
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: false,
    openWorldHint: true,
    ...told,
  };
  // The two in between mean nothing where a tool only reads.
  return all.readOnlyHint ? { ...all, destructiveHint: false, idempotentHint: true } : all;
}

const byLine = (text: string): string => text.split('\n').sort().join('\n');
const sortTree = (nodes: readonly { name: string; children?: [] }[]): unknown =>
  nodes
    .map((node) => (node.children === undefined ? node : { ...node, children: sortTree(node.children) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));

/** The order of these is that of the disk, in the reference server or in both. */
const UNORDERED: Readonly<Record<string, (text: string) => unknown>> = {
  list_directory: byLine,
  search_files: byLine,
  directory_tree: (text) => sortTree(JSON.parse(text) as []),
};

function comparable(tool: string, result: CallToolResult, root: string): unknown {
  if (result.isError === true) return 'error';
  const order = UNORDERED[tool];
  return strip(result, root).map((block) =>
    block.type === 'text' && order !== undefined ? order(block.text) : block,
  );
}

/** Everything below a directory: names, types, permissions and contents. */
function survey(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      const mode = (statSync(path).mode & 0o7777).toString(8);
      const content = entry.isFile() ? readFileSync(path).toString('base64') : '';
      return `${path.slice(directory.length)} ${mode} ${content}`;
    })
    .sort();
}

const READING: readonly Call[] = [
  ...['read_file', 'read_text_file'].flatMap((tool): readonly Call[] => [
    [tool, { path: '<root>/one.txt' }],
    [tool, { path: 'one.txt' }],
    [tool, { path: '~/one.txt' }],
    [tool, { path: '<root>/dir/../one.txt' }],
    [tool, { path: '<root>/link-in' }],
    [tool, { path: '<root>/empty.txt' }],
    [tool, { path: '<root>/ümlaut ☂.txt' }],
    [tool, { path: '<root>/one.txt', head: 2 }],
    [tool, { path: '<root>/one.txt', head: 99 }],
    [tool, { path: '<root>/no-end.txt', head: 4 }],
    [tool, { path: '<root>/no-end.txt', tail: 2 }],
    [tool, { path: '<root>/no-end.txt', tail: 99 }],
    [tool, { path: '<root>/one.txt', head: 1, tail: 1 }],
    [tool, { path: '<root>/missing.txt' }],
    [tool, { path: '<root>/dir' }],
    [tool, { path: '<root>/../outside/secret.txt' }],
    [tool, {}],
  ]),
  ...['png', 'JPG', 'svg'].map((end): Call => ['read_media_file', { path: `<root>/pic.${end}` }]),
  ...['mp3', 'wav', 'flac', 'ogg'].map((end): Call => ['read_media_file', { path: `<root>/sound.${end}` }]),
  ['read_media_file', { path: '<root>/blob.unknown' }],
  ['read_media_file', { path: '<root>/missing.png' }],
  ['read_multiple_files', { paths: ['<root>/one.txt', '<root>/empty.txt', 'no-end.txt'] }],
  ['read_multiple_files', { paths: [] }],
  ['list_directory', { path: '<root>' }],
  ['list_directory', { path: '<root>/empty-dir' }],
  ['list_directory', { path: '<root>/one.txt' }],
  ['list_directory', { path: '<root>/missing' }],
  ['list_directory_with_sizes', { path: '<root>' }],
  ['list_directory_with_sizes', { path: '<root>/dir', sortBy: 'size' }],
  ['list_directory_with_sizes', { path: '<root>/empty-dir' }],
  ['list_directory_with_sizes', { path: '<root>', sortBy: 'colour' }],
  ['directory_tree', { path: '<root>' }],
  ['directory_tree', { path: '<root>', excludePatterns: ['node_modules', 'dir/nested'] }],
  ['directory_tree', { path: '<root>', excludePatterns: ['**/*.ts', 'pic*', '.*'] }],
  ['directory_tree', { path: '<root>', excludePatterns: ['node_modules/', '/dir'] }],
  ['directory_tree', { path: '<root>', excludePatterns: ['[!d]*'] }],
  ['directory_tree', { path: '<root>/missing' }],
  ['search_files', { path: '<root>', pattern: '*.txt' }],
  ['search_files', { path: '<root>', pattern: '**/*.ts' }],
  ['search_files', { path: '<root>', pattern: '**' }],
  ['search_files', { path: '<root>', pattern: 'dir/**' }],
  ['search_files', { path: '<root>', pattern: '**/*', excludePatterns: ['node_modules', '**/*.{ts,txt}'] }],
  ['search_files', { path: '<root>', pattern: '**/.hidden' }],
  ['search_files', { path: '<root>/dir', pattern: '*.[jt]s' }],
  ['search_files', { path: '<root>', pattern: '[!o]*.txt' }],
  ['search_files', { path: '<root>', pattern: '**/*', excludePatterns: ['dir//**', '[!d]*'] }],
  ['search_files', { path: '<root>', pattern: 'no-such-thing' }],
  ['get_file_info', { path: '<root>/one.txt' }],
  ['get_file_info', { path: '<root>/dir' }],
  ['get_file_info', { path: '<root>/link-in' }],
  ['get_file_info', { path: '<root>/missing' }],
  ['list_allowed_directories', {}],
  ['no_such_tool', {}],
];

const CHANGING: readonly Call[] = [
  ['write_file', { path: '<root>/new.txt', content: 'new\n' }],
  ['write_file', { path: '<root>/one.txt', content: 'replaced' }],
  ['write_file', { path: '<root>/dir', content: '' }],
  ['write_file', { path: '<root>/no/such/dir/x.txt', content: '' }],
  ['write_file', { path: '<root>/../outside/x.txt', content: '' }],
  ['write_file', { path: '~/home.txt', content: 'home' }],
  ['edit_file', { path: '<root>/no-end.txt', edits: [edit('b\nc', 'B\nC')], dryRun: true }],
  ['edit_file', { path: '<root>/no-end.txt', edits: [edit('b', 'B'), edit('B\nc', 'x')] }],
  ['edit_file', { path: '<root>/dir/other.ts', edits: [edit('return 1;', 'return 2;')] }],
  ['edit_file', { path: '<root>/dir/other.ts', edits: [edit('  return 2;\n}', '  return 3;\n}')] }],
  ['edit_file', { path: '<root>/dir/other.ts', edits: [edit('return 3;', 'return `$&`;')] }],
  ['edit_file', { path: '<root>/link-in', edits: [edit('placed', 'put')] }],
  ['edit_file', { path: '~/link-in', edits: [edit('reput', 'set')], dryRun: true }],
  ['edit_file', { path: '<root>/dir/other.ts', edits: [edit('not there', 'x')] }],
  ['edit_file', { path: '<root>/dir/other.ts', edits: [] }],
  ['edit_file', { path: '<root>/missing.txt', edits: [edit('a', 'b')] }],
  ['create_directory', { path: '<root>/made/deep/down' }],
  ['create_directory', { path: '<root>/made' }],
  ['create_directory', { path: '<root>/new.txt' }],
  ['create_directory', { path: '<root>/../outside/made' }],
  ['move_file', { source: '<root>/new.txt', destination: '<root>/made/moved.txt' }],
  ['move_file', { source: '<root>/dir', destination: '<root>/renamed' }],
  ['move_file', { source: '<root>/empty.txt', destination: '<root>/pic.png' }],
  ['move_file', { source: '<root>/empty.txt', destination: '<root>/empty-dir' }],
  ['move_file', { source: '<root>/missing', destination: '<root>/x' }],
  ['move_file', { source: '<root>/pic.png', destination: '<root>/../outside/pic.png' }],
];

describe('on a shared tree', () => {
  const tree = makeTree();
  plant(tree, 'root');
  const root = tree.path('root');
  let pair: Pair;
  beforeAll(async () => {
    pair = await connectPair(root, root);
  });
  afterAll(() => closePair(pair));

  test.each(READING)('%s %j gives the same', async (tool, args) => {
    const [reference, own] = await Promise.all([
      pair.reference.call(tool, fill(args, root)).catch(() => ({ isError: true, content: [] })),
      pair.own.call(tool, fill(args, root)).catch(() => ({ isError: true, content: [] })),
    ]);
    expect(comparable(tool, own, root)).toEqual(comparable(tool, reference, root));
  });

  test('every reference tool is there, with arguments that take what it takes', async () => {
    const listed = (await pair.own.client.listTools()).tools;
    for (const tool of (await pair.reference.client.listTools()).tools) {
      const own = listed.find(({ name }) => name === tool.name);
      expect([tool.name, own?.title]).toEqual([tool.name, tool.title]);
      expect(Object.keys(own?.inputSchema.properties ?? {})).toEqual(
        expect.arrayContaining(Object.keys(tool.inputSchema.properties ?? {})),
      );
      expect(tool.inputSchema.required ?? []).toEqual(
        expect.arrayContaining(own?.inputSchema.required ?? []),
      );
      expect(effective(own?.annotations)).toMatchObject(effective(tool.annotations));
    }
  });

  test('every reference tool is compared', async () => {
    const compared = new Set([...READING, ...CHANGING].map(([tool]) => tool));
    const { tools } = await pair.reference.client.listTools();
    expect(tools.map(({ name }) => name).filter((name) => !compared.has(name))).toEqual([]);
  });
});

test('the same changes give the same answers and the same files', async () => {
  const tree = makeTree();
  plant(tree, 'reference');
  plant(tree, 'own');
  const roots = { reference: tree.path('reference'), own: tree.path('own') };
  const pair = await connectPair(roots.reference, roots.own);
  for (const [tool, args] of CHANGING) {
    const reference = await pair.reference.call(tool, fill(args, roots.reference));
    const own = await pair.own.call(tool, fill(args, roots.own));
    expect([tool, args, comparable(tool, own, roots.own)]).toEqual([
      tool,
      args,
      comparable(tool, reference, roots.reference),
    ]);
    expect([tool, args, survey(roots.own)]).toEqual([tool, args, survey(roots.reference)]);
  }
  await closePair(pair);
});
