import { delimiter } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { readPathRoots, Scope } from '@rootward/core';
import {
  definition,
  diagnostics,
  EditJournal,
  findSymbol,
  LanguageServers,
  outline,
  references,
  renameSymbol,
  RootwardLspError,
  symbolRelations,
} from '@rootward/lsp';
import type { CodeContext, OutlineSymbol, RelationKind } from '@rootward/lsp';
import { Folder } from '../fixtures/folder.js';
import { environment } from '../fixtures/real-servers.js';
import { typescriptProjects } from '../fixtures/repositories.js';

/** A small project; `npm run soak -- code FOLDER…` names real ones. */
const small = new Folder(typescriptProjects);
const FOLDERS = (process.env['ROOTWARD_CODE_FOLDERS'] ?? small.path).split(delimiter).filter(Boolean);
const FILES = 12;
const SYMBOLS_PER_FILE = 2;
const SOURCE = /\.(?:ts|tsx|js|py|go|c|h|cpp|sh)$/;

const pools: LanguageServers[] = [];

afterAll(() => small[Symbol.dispose]());

afterEach(async () => {
  for (const pool of pools.splice(0)) await pool.dispose();
});

async function open(folder: string): Promise<CodeContext> {
  const { roots } = await readPathRoots([{ path: folder }], { source: 'flag', home: '/nonexistent' });
  const limits = { settleTimeout: 60_000, requestTimeout: 120_000, initializeTimeout: 120_000 };
  const servers = new LanguageServers({ snapshot: () => ({ roots }) }, { environment, limits });
  pools.push(servers);
  return { servers, scope: new Scope({ roots }) };
}

async function filesOf({ scope }: CodeContext): Promise<readonly string[]> {
  const files: string[] = [];
  for await (const { path, kind } of scope.walk(scope.roots[0]!.path, { gitignore: true })) {
    if (kind === 'file' && SOURCE.test(path)) files.push(path);
  }
  const step = Math.max(1, Math.floor(files.length / FILES));
  return files
    .toSorted()
    .filter((_, index) => index % step === 0)
    .slice(0, FILES);
}

function leaves(symbols: readonly OutlineSymbol[]): readonly string[] {
  return symbols
    .filter(
      ({ kind, name }) =>
        /class|function|struct|interface/.test(kind) && /^[\p{L}_][\p{L}\p{N}_]*$/u.test(name),
    )
    .slice(0, SYMBOLS_PER_FILE)
    .map(({ name }) => name);
}

type Question = (code: CodeContext) => Promise<unknown>;

/** Everything that an agent may ask about a symbol, and what of each answer must always be the same. */
function questionsAbout(request: {
  readonly symbol: string;
  readonly file: string;
}): readonly (readonly [string, Question])[] {
  const { symbol, file } = request;
  const relations = (kind: RelationKind): Question => {
    return async (code) => {
      const { related, outside, complete } = await symbolRelations(code, { ...request, kind });
      return [related.map((each) => `${each.file}:${each.line}`), outside, complete];
    };
  };
  return [
    ['outline', (code) => outline(code, { file })],
    ['diagnostics', async (code) => (await diagnostics(code, { file })).files],
    ['definition', async (code) => ({ ...(await definition(code, request)), notes: [] })],
    [
      'references',
      async (code) => {
        const { total, complete, files } = await references(code, request);
        return [total, complete, files.map((each) => each.file)];
      },
    ],
    [
      'rename_symbol',
      async (code) => {
        const dryRun = { ...request, newName: 'some_other_name' };
        const { edits, complete } = await renameSymbol(code, dryRun, new EditJournal('/nonexistent'));
        return [edits, complete];
      },
    ],
    [
      'find_symbol',
      async (code) => {
        const { total, complete, files } = await findSymbol(code, { query: symbol });
        return [total, complete, files.map((each) => each.file)];
      },
    ],
    ['callers', relations('callers')],
    ['implementations', relations('implementations')],
    ['type_definition', relations('type_definition')],
  ];
}

/** What a question says, or why it cannot be answered. */
async function said(ask: Promise<unknown>): Promise<unknown> {
  try {
    return await ask;
  } catch (error) {
    if (error instanceof RootwardLspError) return error.code;
    throw error;
  }
}

test.each(FOLDERS)('answers about %s do not depend on what was asked before', async (folder) => {
  const code = await open(folder);
  const questions: (readonly [string, Question])[] = [];
  for (const file of await filesOf(code)) {
    const tree = await outline(code, { file }).catch((error: unknown) => {
      if (error instanceof RootwardLspError) return { symbols: [] };
      throw error;
    });
    for (const symbol of leaves(tree.symbols))
      for (const [name, ask] of questionsAbout({ symbol, file }))
        questions.push([`${name} ${file} ${symbol}`, ask]);
  }
  const answers = async (
    context: CodeContext,
    asked: typeof questions,
  ): Promise<Readonly<Record<string, unknown>>> => {
    const found: Record<string, unknown> = {};
    for (const [name, ask] of asked) found[name] = await said(ask(context));
    return found;
  };
  const first = await answers(code, questions);
  const again = await answers(await open(folder), questions.toReversed());
  expect(again).toEqual(first);
});
