import { chmodSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { CallToolResult } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectReference } from './fixtures/reference-server.js';
import type { ReferenceServer } from './fixtures/reference-server.js';
import { makeTree } from './fixtures/temp-tree.js';
import type { TempTree } from './fixtures/temp-tree.js';
import { connectTools } from './fixtures/tools-client.js';
import type { ToolsClient } from './fixtures/tools-client.js';

type Arguments = Record<string, unknown>;
type Call = readonly [tool: string, args: Arguments];

const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 1, 2, 3]);
const FILES = {
  'one.txt': 'one\ntwo\nthree\n',
  'no-end.txt': 'a\nb\nc\nd',
  'empty.txt': '',
  'ümlaut ☂.txt': 'käse\n',
  'dir/nested/deep.ts': 'export const deep = 1;\n',
  'dir/other.ts': 'function f() {\n    return 1;\n}\n',
  'dir/.hidden': 'hidden',
  'node_modules/pkg/index.js': '',
  'empty-dir/': '',
  'pic.png': PNG,
  'pic.JPG': PNG,
  'pic.svg': '<svg/>',
  'sound.mp3': PNG,
  'sound.wav': PNG,
  'sound.flac': PNG,
  'sound.ogg': PNG,
  'blob.unknown': PNG,
  'bytes-1500.bin': new Uint8Array(1500),
};

function plant(tree: TempTree, name: string): void {
  tree.add(Object.fromEntries(Object.entries(FILES).map(([file, content]) => [`${name}/${file}`, content])));
  tree.add({ 'outside/secret.txt': 'secret' });
  chmodSync(tree.path(name, 'one.txt'), 0o640);
  symlinkSync('one.txt', tree.path(name, 'link-in'));
}

interface Pair {
  readonly reference: ReferenceServer;
  readonly own: ToolsClient;
}

async function connectPair(referenceRoot: string, ownRoot: string): Promise<Pair> {
  const workspace = { environment: {}, home: '/nonexistent', roots: [ownRoot] };
  return {
    reference: await connectReference(referenceRoot, referenceRoot),
    own: await connectTools({ workspace, tools: { home: ownRoot } }),
  };
}

async function closePair({ reference, own }: Pair): Promise<void> {
  await Promise.all([reference.close(), own.close()]);
}

/** `<root>` stands for the root, which differs where both servers change files. */
function fill<Value>(value: Value, root: string): Value {
  return JSON.parse(JSON.stringify(value).replaceAll('<root>', root)) as Value;
}

function strip({ content }: CallToolResult, root: string): CallToolResult['content'] {
  return JSON.parse(JSON.stringify(content).replaceAll(root, '<root>')) as CallToolResult['content'];
}

const byLine = (text: string): string => text.split('\n').sort().join('\n');
const sortTree = (nodes: readonly { name: string; children?: [] }[]): unknown =>
  nodes
    .map((node) => (node.children === undefined ? node : { ...node, children: sortTree(node.children) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));

/** The order of these is that of the disk in the reference server, and by name in ours. */
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
  ['directory_tree', { path: '<root>/missing' }],
  ['search_files', { path: '<root>', pattern: '*.txt' }],
  ['search_files', { path: '<root>', pattern: '**/*.ts' }],
  ['search_files', { path: '<root>', pattern: '**' }],
  ['search_files', { path: '<root>', pattern: 'dir/**' }],
  ['search_files', { path: '<root>', pattern: '**/*', excludePatterns: ['node_modules', '**/*.{ts,txt}'] }],
  ['search_files', { path: '<root>', pattern: '**/.hidden' }],
  ['search_files', { path: '<root>/dir', pattern: '*.[jt]s' }],
  ['search_files', { path: '<root>', pattern: 'no-such-thing' }],
  ['get_file_info', { path: '<root>/one.txt' }],
  ['get_file_info', { path: '<root>/dir' }],
  ['get_file_info', { path: '<root>/link-in' }],
  ['get_file_info', { path: '<root>/missing' }],
  ['list_allowed_directories', {}],
  ['no_such_tool', {}],
];

const edit = (oldText: string, newText: string): Arguments => ({ oldText, newText });
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

/** Where ours differs on purpose. Each row is checked against both servers. */
interface Difference {
  readonly what: string;
  readonly reason: string;
  /** Calls before the one that differs. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  readonly call: Call;
  readonly reference: (result: CallToolResult) => unknown;
  readonly own: (result: CallToolResult) => unknown;
}

const textIs =
  (expected: unknown) =>
  ({ content, isError }: CallToolResult): void => {
    expect([isError ?? false, content[0]]).toEqual([false, { type: 'text', text: expected }]);
  };
const fails = ({ isError }: CallToolResult): void => expect(isError).toBe(true);
const succeeds = ({ isError }: CallToolResult): void => expect(isError ?? false).toBe(false);

const DIFFERENCES: readonly Difference[] = [
  {
    what: 'tail counts lines',
    reason: 'a newline at the end closes the last line; the reference server counts an empty line after it',
    call: ['read_text_file', { path: '<root>/one.txt', tail: 2 }],
    reference: textIs('three\n'),
    own: textIs('two\nthree\n'),
  },
  {
    what: 'tail keeps line ends',
    reason: 'a reader who edits needs to know what is there',
    files: { 'crlf.txt': 'a\r\nb' },
    call: ['read_text_file', { path: '<root>/crlf.txt', tail: 5 }],
    reference: textIs('a\nb'),
    own: textIs('a\r\nb'),
  },
  {
    what: 'a byte order mark is not part of the text',
    reason: 'it marks the encoding; edit_file keeps it',
    files: { 'bom.txt': '\uFEFFx' },
    call: ['read_text_file', { path: '<root>/bom.txt' }],
    reference: textIs('\uFEFFx'),
    own: textIs('x'),
  },
  {
    what: 'what is not UTF-8 is refused as text',
    reason: 'text that is guessed is text that is damaged, and an edit of it destroys the file',
    files: { 'latin1.txt': new Uint8Array([0x6b, 0xe4, 0x73, 0x65]) },
    call: ['read_text_file', { path: '<root>/latin1.txt' }],
    reference: textIs('k\uFFFDse'),
    own: fails,
  },
  {
    what: 'media types of all common endings are known',
    reason: 'the reference server has a list of eleven',
    files: { 'doc.pdf': PNG },
    call: ['read_media_file', { path: '<root>/doc.pdf' }],
    reference: ({ content }) =>
      expect(content).toMatchObject([{ resource: { mimeType: 'application/octet-stream' } }]),
    own: ({ content }) => expect(content).toMatchObject([{ resource: { mimeType: 'application/pdf' } }]),
  },
  {
    what: 'an edit that matches in several places is refused',
    reason: 'the reference server silently edits the first',
    files: { 'twice.txt': 'x\nx\n' },
    call: ['edit_file', { path: '<root>/twice.txt', edits: [edit('x', 'y')] }],
    reference: succeeds,
    own: fails,
  },
  {
    what: 'an edit with an empty oldText is refused',
    reason: 'the reference server puts the new text at the start of the file',
    call: ['edit_file', { path: '<root>/one.txt', edits: [edit('', 'y')] }],
    reference: succeeds,
    own: fails,
  },
  {
    what: 'a blank oldText that does not match exactly is not found',
    reason: 'blank lines say nothing about which place is meant',
    call: ['edit_file', { path: '<root>/dir/other.ts', edits: [edit('\t', 'y')] }],
    reference: succeeds,
    own: fails,
  },
  {
    what: 'a link out of the roots has no size',
    reason: 'what it leads to is out of scope, and so is its size',
    call: ['list_directory_with_sizes', { path: '<root>/links' }],
    reference: textIs(expect.stringContaining('Combined size: 6 B')),
    own: textIs(expect.stringContaining('Combined size: 0 B')),
  },
  {
    what: 'a negated extended glob is matched by other rules',
    reason: 'picomatch, which core already uses for its rules, and minimatch disagree about these alone',
    call: ['search_files', { path: '<root>', pattern: '!(one).txt' }],
    reference: textIs(expect.stringContaining('one.txt')),
    own: textIs(expect.not.stringContaining('/one.txt')),
  },
  {
    what: 'an empty glob is refused',
    reason: 'it can only be a mistake',
    call: ['search_files', { path: '<root>', pattern: '' }],
    reference: textIs('No matches found'),
    own: fails,
  },
  {
    what: 'a name in another Unicode form is another file',
    reason: 'it is, on this disk; guessing which one is meant may hit the wrong one',
    files: { 'caf\u00e9.txt': 'x' },
    call: ['read_text_file', { path: '<root>/cafe\u0301.txt' }],
    reference: succeeds,
    own: fails,
  },
  {
    what: 'a file: URI is a path',
    reason: 'clients hand out URIs',
    call: ['read_text_file', { path: 'file://<root>/one.txt' }],
    reference: fails,
    own: textIs('one\ntwo\nthree\n'),
  },
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
      expect(own?.annotations).toMatchObject(tool.annotations ?? {});
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

describe('on purpose', () => {
  const tree = makeTree();
  const roots = { reference: tree.path('reference'), own: tree.path('own') };
  let pair: Pair;
  beforeAll(async () => {
    for (const name of ['reference', 'own']) {
      plant(tree, name);
      tree.add({ [`${name}/links/`]: '' });
      symlinkSync(tree.path('outside/secret.txt'), tree.path(name, 'links/out'));
    }
    pair = await connectPair(roots.reference, roots.own);
  });
  afterAll(() => closePair(pair));

  test.each(DIFFERENCES)('$what', async ({ reason, files = {}, call, reference, own }) => {
    expect(reason).not.toBe('');
    const [tool, args] = call;
    for (const name of ['reference', 'own']) {
      tree.add(
        Object.fromEntries(Object.entries(files).map(([file, content]) => [`${name}/${file}`, content])),
      );
    }
    reference(await pair.reference.call(tool, fill(args, roots.reference)));
    own(await pair.own.call(tool, fill(args, roots.own)));
  });

  test('a link is moved itself: the reference server moves what it leads to, and leaves it dangling', async () => {
    for (const name of ['reference', 'own']) {
      tree.add({ [`${name}/target.txt`]: 'target' });
      symlinkSync('target.txt', tree.path(name, 'link'));
    }
    const args = { source: '<root>/link', destination: '<root>/moved' };
    succeeds(await pair.reference.call('move_file', fill(args, roots.reference)));
    succeeds(await pair.own.call('move_file', fill(args, roots.own)));
    const target = { path: '<root>/target.txt' };
    fails(await pair.reference.call('read_text_file', fill(target, roots.reference)));
    succeeds(await pair.own.call('read_text_file', fill(target, roots.own)));
  });

  test('a file that would break the connection is refused: official clients end it on a line of 10 MB', async () => {
    for (const name of ['reference', 'own']) tree.add({ [`${name}/large.txt`]: 'x'.repeat(9 * 1024 * 1024) });
    const reference = await connectReference(roots.reference, roots.reference);
    const args = { path: 'large.txt' };
    await expect(reference.call('read_text_file', args)).rejects.toThrow('Connection closed');
    fails(await pair.own.call('read_text_file', args));
    succeeds(await pair.own.call('read_text_file', { ...args, path: 'one.txt' }));
    await reference.close();
  });

  test('text is not repeated as structured content, since clients that show the latter would hide the former', async () => {
    const args = { path: 'one.txt' };
    expect((await pair.reference.call('read_text_file', args)).structuredContent).toBeDefined();
    expect((await pair.own.call('read_text_file', args)).structuredContent).toBeUndefined();
  });

  test('lists come with structured content that has fields, not the text again', async () => {
    const args = { path: 'empty-dir' };
    expect((await pair.reference.call('list_directory', args)).structuredContent).toEqual({ content: '' });
    expect((await pair.own.call('list_directory', args)).structuredContent).toEqual({ entries: [] });
  });
});
