import { readFile } from 'node:fs/promises';
import { afterEach, expect, test } from 'vitest';
import {
  definition,
  diagnostics,
  EditJournal,
  findSymbol,
  outline,
  references,
  renameSymbol,
  RootwardLspError,
  symbolRelations,
  type CodeContext,
} from '@rootward/lsp';
import { CodeWorkspace } from '../fixtures/code-workspace.js';
import { environment, hasClangd, known } from '../fixtures/real-servers.js';
import { cLinked, cppLinked, cPrograms, cTwins } from '../fixtures/repositories.js';

const NO_JOURNAL = new EditJournal('/nonexistent');
const LIMITS = { settleTimeout: 50_000, requestTimeout: 50_000 };

let home: CodeWorkspace;

afterEach(() => home.dispose());

type Question = (code: CodeContext) => Promise<unknown>;

/** What a question says, or why it cannot be answered. */
async function said(ask: Promise<unknown>): Promise<unknown> {
  try {
    return await ask;
  } catch (error) {
    if (error instanceof RootwardLspError) return [error.code, error.message];
    throw error;
  }
}

/** The answers of a new pool to the questions, asked in this order. */
async function answers(
  questions: readonly (readonly [string, Question])[],
): Promise<Record<string, unknown>> {
  const code = home.serve({ servers: known('clangd'), environment, limits: LIMITS });
  const found: Record<string, unknown> = {};
  for (const [name, ask] of questions) found[name] = await said(ask(code));
  await home.servers.dispose();
  return found;
}

test.skipIf(!hasClangd)(
  'clangd (where installed) answers the same whatever was asked before, of names with many definitions too',
  async () => {
    home = await CodeWorkspace.open(cPrograms);
    home.writeDatabase('.', Object.keys(cPrograms));
    await home.giveRoots('.');
    const first = { symbol: 'main', file: home.at('tests/t00.c') };
    const last = { symbol: 'main', file: home.at('tests/t63.c') };
    const helper = { symbol: 'helper', file: home.at('lib/check.c') };
    const questions: readonly (readonly [string, Question])[] = [
      ['an outline', (code) => outline(code, { file: home.at('lib/joined.c') })],
      ['uses of a function', (code) => references(code, helper)],
      ['its callers', (code) => symbolRelations(code, { ...helper, kind: 'callers' })],
      ['uses of the first main', (code) => references(code, first)],
      ['symbols', (code) => findSymbol(code, { query: 'main' })],
      ['rename of the last', (code) => renameSymbol(code, { ...last, newName: 'start' }, NO_JOURNAL)],
      ['uses of the last main', (code) => references(code, last)],
    ];
    const answered = await answers(questions);
    expect(await answers(questions.toReversed())).toEqual(answered);
    expect(answered['uses of a function']).toMatchObject({ complete: true, total: 67 });
    expect(answered['symbols']).toMatchObject({ total: 65, complete: true });
  },
);

test.skipIf(!hasClangd)(
  'clangd (where installed) renames one of several definitions of a name only when told to rename all',
  async () => {
    const names = ['lib/check.h', 'tests/t00.c', 'tests/t01.c', 'tests/t02.c'] as const;
    home = await CodeWorkspace.open(Object.fromEntries(names.map((name) => [name, cPrograms[name]!])));
    home.writeDatabase('.', names);
    await home.giveRoots('.');
    const code = home.serve({ servers: known('clangd'), environment, limits: LIMITS });
    const request = { symbol: 'main', file: home.at('tests/t01.c'), newName: 'start' };
    const uses = await references(code, request);
    expect(uses).toMatchObject({ total: 3, complete: false });
    expect(uses.notes).toEqual([expect.stringContaining('tests/t02.c')]);
    await expect(home.rename('main', request.file, 'start')).rejects.toMatchObject({
      code: 'edit-refused',
      message: expect.stringContaining('tests/t02.c'),
    });
    expect(await renameSymbol(code, request, NO_JOURNAL)).toMatchObject({ edits: 3, complete: false });
    const macro = await findSymbol(code, { query: 'CHECK_BEGIN' });
    expect(macro).toMatchObject({ total: 1, files: [{ file: home.at('lib/check.h') }] });
  },
);

test.skipIf(!hasClangd)(
  'clangd (where installed) renames nothing where too many files would change, and says so',
  async () => {
    // All of them can be shown.
    const some = Object.entries(cPrograms).filter(([name]) => name < 'tests/t55');
    home = await CodeWorkspace.open(Object.fromEntries(some));
    await home.giveRoots('.');
    home.serve({ servers: known('clangd'), environment, limits: LIMITS });
    await expect(home.rename('helper', home.at('lib/check.c'))).rejects.toMatchObject({
      code: 'server-error',
      message: expect.stringContaining('limit 50'),
      instruction: expect.stringContaining('references'),
    });
    const check = await readFile(home.at('lib/check.c'), 'utf8');
    expect(check).toBe(cPrograms['lib/check.c']);
  },
);

test.skipIf(!hasClangd)(
  'clangd (where installed) gives every definition of a function that several programs define, nearest first',
  async () => {
    home = await CodeWorkspace.open(cTwins);
    await home.giveRoots('.');
    const request = { symbol: 'open_log', file: home.at('server/use.c') };
    const where = async (first?: string): Promise<readonly string[]> => {
      const code = home.serve({ servers: known('clangd'), environment, limits: LIMITS });
      if (first !== undefined) await outline(code, { file: home.at(first) });
      const { definitions } = await definition(code, request);
      return definitions.map(({ file, line }) => `${file}:${line}`);
    };
    const both = [`${home.at('server/log.c')}:3`, `${home.at('client/log.c')}:3`];
    expect(await where()).toEqual(both);
    expect(await where('client/log.c')).toEqual(both);
    expect(await where('server/log.c')).toEqual(both);
  },
);

/** Where a symbol is defined, below the root, and what is said of it. */
function asksWhere(symbol: string, file: string, line?: number): readonly [string, Question] {
  return [
    [symbol, file, line].join(' '),
    async (code) => {
      const found = await definition(code, { symbol, file: home.at(file), line });
      const where = found.definitions.map((each) => `${each.file.slice(home.path.length + 1)}:${each.line}`);
      return [where.join(' '), found.hover];
    },
  ];
}

/** Asks in both orders, and each alone after each of some files was shown; what is said must be the same. */
async function alwaysSaid(
  questions: readonly (readonly [string, Question])[],
  files: readonly string[],
): Promise<Readonly<Record<string, unknown>>> {
  const first = await answers(questions);
  expect(await answers(questions.toReversed())).toEqual(first);
  for (const file of files) {
    const shown: readonly [string, Question] = ['shown', (code) => outline(code, { file: home.at(file) })];
    for (const [name, ask] of questions)
      expect(await answers([shown, [name, ask]])).toMatchObject({ [name]: first[name] });
  }
  return first;
}

test.skipIf(!hasClangd)(
  'clangd (where installed) finds what other files of C define, whatever was asked before',
  async () => {
    home = await CodeWorkspace.open(cLinked);
    await home.giveRoots('.');
    const questions = [
      asksWhere('joined', 'use.c'),
      asksWhere('counter', 'use.c'),
      asksWhere('counter', 'made.c'),
      asksWhere('box', 'use.c'),
      asksWhere('opened', 'api.h'),
      asksWhere('small_t', 'use.c'),
    ];
    const always = await alwaysSaid(questions, ['made.c', 'other.c', 'paste.c', 'second/box.c']);
    const where = Object.values(always).map((each) => (each as readonly string[])[0]);
    expect(where).toEqual([
      'paste.c:4',
      'made.c:5',
      'made.c:5',
      'first/box.c:2 second/box.c:2',
      'first/box.c:4 second/box.c:3',
      'api.h:6',
    ]);
  },
);

test.skipIf(!hasClangd)(
  'clangd (where installed) finds members that other files of C++ define, and the same problems, whatever was asked before',
  async () => {
    home = await CodeWorkspace.open(cppLinked);
    await home.giveRoots('.');
    const questions = [
      asksWhere('total', 'use.cpp', 3),
      asksWhere('total', 'use.cpp', 4),
      asksWhere('total', 'use.cpp', 5),
      asksWhere('Order.total', 'cart.h'),
      asksWhere('count', 'use.cpp'),
      asksWhere('Later', 'use.cpp'),
      ['problems', (code: CodeContext) => diagnostics(code, { file: home.at('short.cpp') })],
    ] as const;
    const always = await alwaysSaid(questions, ['cart.cpp', 'order.cpp']);
    const where = Object.values(always)
      .slice(0, -1)
      .map((each) => (each as readonly string[])[0]);
    expect(where).toEqual([
      'cart.cpp:3',
      'cart.cpp:4',
      'order.cpp:3',
      'order.cpp:3',
      'cart.cpp:2',
      'cart.cpp:5 order.cpp:5',
    ]);
    expect(always['problems']).toMatchObject({
      files: [{ diagnostics: [{ message: "Use of undeclared identifier 'shop'" }] }],
    });
  },
);

test.skipIf(!hasClangd)(
  'clangd (where installed) compiles a header the same way whichever file it was shown before',
  async () => {
    home = await CodeWorkspace.open({
      'shared.h': '#if PROGRAM == 1\nint first(void);\n#else\nint second(void);\n#endif\n',
      'one.c': '#include "shared.h"\n',
      'two.c': '#include "shared.h"\n',
    });
    const commands = ['one.c', 'two.c'].map((file, index) => ({
      directory: home.path,
      file,
      command: `cc -DPROGRAM=${index + 1} -c ${file}`,
    }));
    home.write({ 'compile_commands.json': JSON.stringify(commands) });
    await home.giveRoots('.');
    for (const first of ['one.c', 'two.c']) {
      const code = home.serve({ servers: known('clangd'), environment, limits: LIMITS });
      await diagnostics(code, { file: home.at(first) });
      const { symbols } = await outline(code, { file: home.at('shared.h') });
      expect(symbols.map(({ name }) => name)).toEqual(['first']);
    }
  },
);
