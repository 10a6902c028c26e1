import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { definition, diagnostics, findSymbol, outline, references } from '@rootward/lsp';
import { CodeWorkspace } from '../fixtures/code-workspace.js';
import { environment, known } from '../fixtures/real-servers.js';

/** Enough files that pyright answers before it has seen them all. */
const MANY = 300;
/** A busy machine takes its time. */
const LIMITS = { settleTimeout: 50_000, requestTimeout: 50_000 };
/** A space, an escape that is none, and letters beyond ASCII. */
const A = 'a %41 ü';

let home: CodeWorkspace;

async function namesFor(query: string): Promise<readonly string[]> {
  const { files } = await findSymbol(home.context(), { query });
  return files.flatMap(({ symbols }) => symbols.map(({ name }) => name));
}

beforeAll(async () => {
  const files: Record<string, string> = {
    [`${A}/shared.py`]: 'def price_of(item):\n    """What it costs."""\n    return item\n',
    [`${A}/pyrightconfig.json`]: JSON.stringify({ extraPaths: ['../b'] }),
    [`${A}/sender.py`]: 'from dispatch import ship_it\n\nship_it()\n',
    'b/pyrightconfig.json': JSON.stringify({ extraPaths: ['vendor', `../${A}`] }),
    'b/dispatch.py': 'def ship_it():\n    return 1\n',
    'b/buyer.py': 'from shared import price_of\n\nprice_of(1)\n',
    'b/vendor/gadget.py': 'def make_gadget():\n    return 1\n',
    'b/use.py': 'from gadget import make_gadget\n\nmade = make_gadget()\nwrong: int = "text"\n',
  };
  for (let index = 0; index < MANY; index += 1) {
    const uses = index % 3 === 0;
    const body = uses
      ? `from shared import price_of\n\nvalue = price_of(${index})\n`
      : `other_${index} = ${index}\n`;
    files[`${A}/parts/part_${index}.py`] = body;
  }
  home = await CodeWorkspace.open(files, A);
  home.serve({ servers: known('pyright'), environment, limits: LIMITS });
});

afterAll(() => home.dispose());

test('the first references to a symbol used in 100 of 300 files are complete', async () => {
  const found = await references(home.context(), { symbol: 'price_of', file: home.at(A, 'shared.py') });
  expect({ total: found.total, complete: found.complete }).toEqual({
    total: 1 + 2 * (MANY / 3),
    complete: true,
  });
  const text = 'from shared import price_of';
  expect(found.files[0]!.references[0]).toEqual({ line: 1, column: 20, text });
});

test('references come in pages, by file', async () => {
  const request = { symbol: 'price_of', file: home.at(A, 'shared.py') };
  const first = await references(home.context(), request);
  const second = await references(home.context(), { ...request, cursor: first.nextCursor });
  const third = await references(home.context(), { ...request, cursor: second.nextCursor });
  const sizes = [first, second, third].map(({ files }) => files.flatMap((file) => file.references).length);
  expect(sizes).toEqual([100, 100, 1]);
  expect(third.nextCursor).toBeUndefined();
});

test('definition() gives the source and what the server knows, from a use in another file', async () => {
  const found = await definition(home.context(), {
    symbol: 'price_of',
    file: home.at(A, 'parts/part_0.py'),
    line: 3,
  });
  expect(found.definitions).toMatchObject([{ file: home.at(A, 'shared.py'), line: 1 }]);
  expect(found.definitions[0]!.source).toContain('return item');
  expect(found.hover).toContain('What it costs.');
});

test('a definition outside the roots is counted and not shown', async () => {
  home.write({ [`${A}/builtin.py`]: 'print(len("abc"))\n' });
  const found = await definition(home.context(), { symbol: 'len', file: home.at(A, 'builtin.py') });
  expect(found).toMatchObject({ definitions: [], outside: 1 });
});

test('a file changed on disk is seen changed, and a new one is found', async () => {
  home.write({ [`${A}/fresh.py`]: 'from shared import price_of\n\nprice_of(1)\n\ndef brand_new(): ...\n' });
  const found = await references(home.context(), { symbol: 'price_of', file: home.at(A, 'shared.py') });
  expect({ total: found.total, complete: found.complete }).toEqual({
    total: 1 + 2 * (MANY / 3) + 2,
    complete: true,
  });
  expect(await namesFor('brand_new')).toEqual(['brand_new']);
  home.write({ [`${A}/fresh.py`]: 'def brand_newer(): ...\n' });
  expect((await outline(home.context(), { file: home.at(A, 'fresh.py') })).symbols).toMatchObject([
    { name: 'brand_newer' },
  ]);
});

test('a root is unusable before it is added, usable after, with its own configuration', async () => {
  await expect(outline(home.context(), { file: home.at('b/use.py') })).rejects.toMatchObject({
    code: 'outside-roots',
  });
  expect(await namesFor('make_gadget')).toEqual([]);
  await home.giveRoots(A, 'b');
  expect(await namesFor('make_gadget')).toEqual(['make_gadget']);
  const found = await definition(home.context(), {
    symbol: 'make_gadget',
    file: home.at('b/use.py'),
    line: 3,
  });
  expect(found.definitions).toMatchObject([{ file: home.at('b/vendor/gadget.py'), line: 1 }]);
  const report = await diagnostics(home.context(), { file: home.at('b/use.py') });
  expect(report.files[0]!.diagnostics).toMatchObject([{ line: 4, severity: 'error' }]);
  expect(report.complete).toBe(true);
  expect(home.servers.status()).toMatchObject([
    { kind: 'per-root', folders: [home.at(A)] },
    { kind: 'per-root', folders: [home.at('b')] },
  ]);
});

test('after a root is removed nothing of it comes back, in any tool', async () => {
  await home.giveRoots('b');
  const file = home.at(A, 'shared.py');
  expect(await namesFor('price_of')).toEqual([]);
  const refused = { code: 'outside-roots' };
  await expect(outline(home.context(), { file })).rejects.toMatchObject(refused);
  await expect(definition(home.context(), { symbol: 'price_of', file })).rejects.toMatchObject(refused);
  await expect(references(home.context(), { symbol: 'price_of', file })).rejects.toMatchObject(refused);
  await expect(diagnostics(home.context(), { file })).rejects.toMatchObject(refused);
  await expect(home.rename('price_of', file)).rejects.toMatchObject(refused);
  const buyer = home.at('b/buyer.py');
  // The imports lead to the removed root on disk; what is found there is held back.
  const answers = [
    await definition(home.context(), { symbol: 'price_of', file: buyer }),
    await references(home.context(), { symbol: 'price_of', file: buyer }),
    await outline(home.context(), { file: buyer }),
    await diagnostics(home.context(), {}),
  ];
  expect(answers[0]).toMatchObject({ definitions: [], outside: 1 });
  expect(JSON.stringify(answers)).not.toContain(home.at(A));
  expect(JSON.stringify(answers)).not.toContain('What it costs');
  await expect(home.rename('price_of', buyer)).rejects.toMatchObject({
    code: 'edit-refused',
    message: expect.stringContaining('outside the roots'),
  });
  const before = readFileSync(home.at(A, 'sender.py'), 'utf8');
  const dispatch = home.at('b/dispatch.py');
  expect(await home.rename('ship_it', dispatch, 'other_name')).toMatchObject({
    edits: 1,
    files: [{ file: dispatch }],
  });
  expect(readFileSync(home.at(A, 'sender.py'), 'utf8')).toBe(before);
  expect(readFileSync(dispatch, 'utf8')).toContain('other_name');
  expect(await namesFor('make_gadget')).toEqual(['make_gadget']);
});

test('findSymbol() asks pyright in both packages of one root, where it is held to know one folder only', async () => {
  const files = {
    'root/one/pyrightconfig.json': '{}',
    'root/one/a.py': 'def greet_one(): ...\n',
    'root/two/pyrightconfig.json': '{}',
    'root/two/b.py': 'def greet_two(): ...\n',
  };
  const code = await CodeWorkspace.open(files, 'root');
  try {
    const [pyright] = known('pyright');
    const asking = code.serve({
      servers: [{ ...pyright!, mixesFolders: false }],
      environment,
      limits: LIMITS,
    });
    const { files: found, complete, notes } = await findSymbol(asking, { query: 'greet' });
    expect(found).toMatchObject([
      { file: code.at('root/one/a.py'), symbols: [{ name: 'greet_one', line: 1 }] },
      { file: code.at('root/two/b.py'), symbols: [{ name: 'greet_two', line: 1 }] },
    ]);
    expect({ complete, notes }).toEqual({ complete: true, notes: [] });
  } finally {
    await code.dispose();
  }
});
