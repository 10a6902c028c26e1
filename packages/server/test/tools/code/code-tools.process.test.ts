import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, afterEach, expect, test } from 'vitest';
import { History } from '@rootward/core/history';
import { ChildRegistry } from '@rootward/mcp';
import { LanguageSupport, type LanguageSupportOptions } from '../../../src/languages/language-support.js';
import { ChangeQueue } from '../../../src/tools/framework/change-queue.js';
import { makeTree } from '../../fixtures/temp-tree.js';
import { connectTools, ERAS, reportOf, textOf } from '../../fixtures/tools-client.js';
import type { ToolsClient, ToolsClientOptions } from '../../fixtures/tools-client.js';
import { eventually } from '../../../../../testing/eventually.js';

const bin = fileURLToPath(new URL('../../../../../node_modules/.bin', import.meta.url));
const environment = { ...process.env, ROOTWARD_PROGRAM_FOLDERS: bin };
const tree = makeTree({
  'a/tsconfig.json': '{}',
  'a/cart.ts': 'export class Cart {\n  /** The sum. */\n  total(): number {\n    return 1;\n  }\n}\n',
  'b/tsconfig.json': '{}',
  'b/shop.ts': "import { Cart } from '../a/cart';\n\nexport const sum: string = new Cart().total();\n",
  'b/main.rs': 'fn main() {}\n',
});
const children = new ChildRegistry();
const silent = { debug() {}, info() {}, warn() {} };
const supports: LanguageSupport[] = [];
const clients: ToolsClient[] = [];

function support(options: Partial<LanguageSupportOptions> = {}): LanguageSupport {
  const made = new LanguageSupport({
    environment,
    // One server for all files, which can be counted.
    servers: { json: false },
    children,
    log: silent,
    journal: tree.path('journal'),
    ...options,
  });
  supports.push(made);
  return made;
}

async function connect(
  options: ToolsClientOptions & { readonly languages?: LanguageSupport } = {},
): Promise<ToolsClient> {
  const { languages = support(), tools, ...rest } = options;
  const roots = ['a', 'b'].map((name) => pathToFileURL(tree.path(name)).href);
  const client = await connectTools({ roots, ...rest, tools: { ...tools, languages } });
  clients.push(client);
  return client;
}

afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
  for (const made of supports.splice(0)) await made.dispose();
});

afterAll(() => children.kill());

test.each(ERAS)('the code tools answer a %s client over all its roots', async (era) => {
  const { data, text } = await connect({ era });
  expect(await data('find_symbol', { query: 'Cart' })).toMatchObject({
    files: [{ file: 'cart.ts', symbols: ['1 class Cart'] }],
  });
  expect(await data('references', { symbol: 'Cart', file: tree.path('a/cart.ts') })).toMatchObject({
    total: 3,
    complete: true,
  });
  const found = await text('definition', { symbol: 'total', file: 'shop.ts' });
  expect(found).toContain('cart.ts:3');
  expect(found).toContain('The sum.');
  expect(await text('outline', { file: 'cart.ts' })).toBe('1-6 class Cart\n  3-5 total()');
  expect(await text('diagnostics', { file: 'shop.ts' })).toContain('shop.ts:3:14: error:');
  const rename = { symbol: 'Cart', file: 'cart.ts', newName: 'Basket' };
  expect(await data('rename_symbol', rename)).toMatchObject({ applied: false, edits: 3 });
  expect(readFileSync(tree.path('b/shop.ts'), 'utf8')).toContain('Cart');
});

test('a modern client’s servers outlive the request, and are shared with the next', async () => {
  const languages = support();
  const { data } = await connect({ era: 'modern', languages });
  await data('find_symbol', { query: 'Cart' });
  const { servers } = await data('workspace_info');
  await data('find_symbol', { query: 'Cart' });
  expect(servers).toMatchObject([{ server: 'typescript', state: 'running', memoryKb: expect.any(Number) }]);
  expect(children.size).toBe(1);
});

test('servers of a connection end with it', async () => {
  const languages = support();
  const { data, close } = await connect({ languages });
  await data('find_symbol', { query: 'Cart' });
  expect(children.size).toBe(1);
  await close();
  await eventually(() => expect(children.size).toBe(0));
});

/** What a process that is gone noted before it changed a file. */
function journalEntry(path: string, after: string): string {
  const digest = createHash('sha256').update(after).digest('hex');
  const files = [{ path, before: 'let a = 1;\n', after: digest }];
  return JSON.stringify({ process: { pid: 2 ** 22 + 1, start: '' }, files });
}

test('rename_symbol waits for a change of one of its files, and changes nothing after it', async () => {
  const changes = new ChangeQueue();
  const { call } = await connect({ tools: { changes } });
  const [cart, shop] = [tree.path('a/cart.ts'), tree.path('b/shop.ts')];
  const [before, edited] = [readFileSync(shop, 'utf8'), `// edited\n${readFileSync(shop, 'utf8')}`];
  let write!: () => void;
  const held = changes.run([shop], async () => {
    await new Promise<void>((resolve) => {
      write = resolve;
    });
    writeFileSync(shop, edited);
  });
  const renamed = call('rename_symbol', { symbol: 'total', file: cart, newName: 'price', apply: true });
  // The change that is held, the rename, and the writing that waits.
  await eventually(() => expect(changes.size).toBe(3));
  write();
  await held;
  expect(reportOf(await renamed)).toMatchObject({ message: `Cannot edit: "${shop}" changed meanwhile` });
  expect(readFileSync(cart, 'utf8')).toContain('total()');
  expect(readFileSync(shop, 'utf8')).toBe(edited);
  writeFileSync(shop, before);
});

test('rename_symbol undoes what an earlier process left half done, and says so', async () => {
  const [half, changed] = [tree.path('a/half.ts'), tree.path('a/changed.ts')];
  writeFileSync(half, 'let b = 1;\n');
  writeFileSync(changed, 'let c = 1;\n');
  const journal = tree.path('cut-off');
  mkdirSync(journal);
  writeFileSync(join(journal, '1.edit.json'), journalEntry(half, 'let b = 1;\n'));
  writeFileSync(join(journal, '2.edit.json'), journalEntry(changed, 'let b = 1;\n'));
  const { call } = await connect({ languages: support({ journal }) });
  const rename = { symbol: 'Cart', file: 'cart.ts', newName: 'Basket' };
  const { content, structuredContent } = await call('rename_symbol', rename);
  const undone = [half, `${changed} (changed since, left as it is)`];
  expect(structuredContent).toMatchObject({
    applied: false,
    edits: 3,
    notes: undone.map((file) => `undone, because an earlier rename was cut off: ${file}`),
  });
  expect(content).toMatchObject([
    { text: expect.stringContaining(`an earlier rename was cut off: ${half}`) },
  ]);
  expect(readFileSync(half, 'utf8')).toBe('let a = 1;\n');
  expect(readFileSync(changed, 'utf8')).toBe('let c = 1;\n');
  for (const file of [half, changed]) rmSync(file);
});

test('a tool says which language lacks what, and what still works', async () => {
  const languages = support({ environment: { PATH: '' } });
  const { call } = await connect({ languages });
  expect(reportOf(await call('references', { symbol: 'Cart', file: 'cart.ts' }))).toEqual({
    error_type: 'not_installed',
    message: 'Cannot understand TypeScript and JavaScript: typescript is not installed',
    instruction: 'Run: npm install -g typescript@7. Reading, searching and editing files works without it',
  });
  const outline = await call('outline', { file: 'cart.ts' });
  expect([outline.isError, textOf(outline)]).toEqual([undefined, expect.stringContaining('from: "syntax"')]);
});

test('a server that runs code of the workspace is not started unless the operator says so', async () => {
  const servers = { 'rust-analyzer': { command: join(bin, 'tsc') } };
  const { call } = await connect({ languages: support({ servers }) });
  const refused = await call('references', { symbol: 'main', file: 'main.rs' });
  expect(reportOf(refused)).toMatchObject({ error_type: 'not_trusted' });
});

test('the audit trail names the files whose lines are shown or changed, not only the one asked for', async () => {
  const { call, audit } = await connect();
  const [cart, shop] = [tree.path('a/cart.ts'), tree.path('b/shop.ts')];
  const told = async (tool: string, args: Record<string, unknown>): Promise<readonly string[]> => {
    audit.length = 0;
    await call(tool, args);
    expect(audit.every((entry) => entry.tool === tool && entry.decision === 'allowed')).toBe(true);
    return audit.map(({ path }) => path).sort();
  };
  const symbol = { symbol: 'total', file: cart, line: 3 };
  expect(await told('find_symbol', { query: 'Cart' })).toEqual([cart]);
  expect(await told('references', symbol)).toEqual([cart, shop]);
  expect(await told('definition', { symbol: 'total', file: shop })).toEqual([cart, shop]);
  expect(await told('diagnostics', {})).toContain(shop);
  expect(await told('rename_symbol', { ...symbol, newName: 'price' })).toEqual([cart]);
  expect(await told('rename_symbol', { ...symbol, newName: 'price', apply: true })).toEqual([cart, shop]);
  await call('rename_symbol', { symbol: 'price', file: cart, newName: 'total', apply: true });
});

test.each(ERAS)('symbol_relations and edit_symbol answer a %s client', async (era) => {
  const { text } = await connect({ era });
  const callers = { symbol: 'Cart.total', file: 'cart.ts', kind: 'callers' };
  expect(await text('symbol_relations', callers)).toBe('shop.ts\n 1 module shop.ts (at 3)');
  const before = readFileSync(tree.path('a/cart.ts'), 'utf8');
  const edit = { symbol: 'Cart.total', file: 'cart.ts', action: 'replace', diagnostics: true };
  const changed = await text('edit_symbol', { ...edit, text: 'total(): number {\n  return "1";\n}' });
  expect(changed).toContain('+    return "1";');
  expect(readFileSync(tree.path('a/cart.ts'), 'utf8')).toBe(before.replace('return 1', 'return "1"'));
  writeFileSync(tree.path('a/cart.ts'), before);
});

test('rename_symbol and edit_symbol are one change each, of all their files, and are taken back as one', async () => {
  using history = new History({ directory: tree.path('state/rootward/history') });
  const { data, text, call } = await connect({ workspace: { history: () => history } });
  const files = [tree.path('a/cart.ts'), tree.path('b/shop.ts')];
  const contents = (): readonly string[] => files.map((file) => readFileSync(file, 'utf8'));
  const before = contents();
  const rename = { symbol: 'Cart', file: 'cart.ts', newName: 'Basket', apply: true };
  const { changeId: renamed } = await data('rename_symbol', rename);
  expect(contents().every((content) => content.includes('Basket'))).toBe(true);
  const edit = { symbol: 'Basket.total', file: 'cart.ts', action: 'delete' };
  expect(reportOf(await call('edit_symbol', edit))['message']).toContain('Cannot');
  await text('edit_symbol', { ...edit, action: 'replace', text: 'total(): number {\n  return 2;\n}' });
  const { changes } = (await data('change_history')) as { changes: { id: string }[] };
  expect(changes).toMatchObject([
    { tool: 'edit_symbol', files: [{ path: files[0], action: 'changed' }] },
    {
      id: renamed,
      tool: 'rename_symbol',
      files: [
        { path: files[0], action: 'changed' },
        { path: files[1], action: 'changed' },
      ],
    },
  ]);
  for (const { id } of changes) await data('undo_changes', { id });
  expect(contents()).toEqual(before);
});

test('what an edit broke comes with it, and nothing that was there before', async () => {
  const { call } = await connect();
  const shop = tree.path('b/shop.ts');
  const before = readFileSync(shop, 'utf8');
  const texts = async (name: string, args: Record<string, unknown>): Promise<readonly string[]> =>
    (await call(name, args)).content.map((part) => (part as { readonly text: string }).text);
  const edits = [{ oldText: '.total()', newText: '.totals()' }];
  const [, broken] = await texts('edit_file', { path: shop, edits, diagnostics: true });
  expect(broken).toMatch(/^New problems:\nshop\.ts:3:\d+: error: Property 'totals' does not exist/);
  expect(broken).not.toContain('is not assignable');
  const back = [{ oldText: 's', newText: 's', replaceAll: true }];
  expect((await texts('edit_file', { path: shop, edits: back, diagnostics: true }))[1]).toBe(
    'No new problems',
  );
  const written = await texts('write_file', { path: shop, content: before, diagnostics: true });
  expect(written[1]).toMatch(/^New problems:\nshop\.ts:3:\d+: error: Type 'number' is not assignable/);
});

test('what an edit broke comes with it where the operator wants that, unless the call or the file says otherwise', async () => {
  const { call } = await connect({ tools: { diagnostics: true } });
  const parts = async (name: string, args: Record<string, unknown>): Promise<readonly unknown[]> =>
    (await call(name, args)).content.map((part) => (part as { readonly text: string }).text);
  const shop = tree.path('b/shop.ts');
  const before = readFileSync(shop, 'utf8');
  const edits = [{ oldText: '.total()', newText: '.totals()' }];
  expect(await parts('edit_file', { path: shop, edits, dryRun: true })).toHaveLength(1);
  expect(await parts('edit_file', { path: shop, edits })).toEqual([
    expect.any(String),
    expect.stringContaining("Property 'totals' does not exist"),
  ]);
  expect(await parts('write_file', { path: shop, content: before, diagnostics: false })).toHaveLength(1);
  const notes = tree.path('b/notes.txt');
  expect(await parts('write_file', { path: notes, content: 'x' })).toHaveLength(1);
  rmSync(notes);
});

test('diagnostics can start a server anew', async () => {
  const { data, text } = await connect();
  await text('outline', { file: 'cart.ts' });
  expect(await data('diagnostics', { file: 'cart.ts', restart: true })).toMatchObject({
    notes: ['started anew: typescript'],
  });
  expect(await data('diagnostics', { file: 'cart.ts' })).toMatchObject({ notes: [] });
});

test('a path outside the roots is refused and audited as everywhere', async () => {
  const { call, audit } = await connect();
  const file = tree.path('journal');
  expect(reportOf(await call('outline', { file }))).toMatchObject({ error_type: 'outside_roots' });
  expect(audit).toEqual([{ tool: 'outline', path: file, decision: 'refused', reason: 'outside-roots' }]);
});
