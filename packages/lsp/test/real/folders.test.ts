import { delimiter } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { readPathRoots, Scope } from '@rootward/core';
import {
  definition,
  findSymbol,
  LanguageServers,
  outline,
  references,
  renameSymbol,
  EditJournal,
  RootwardLspError,
} from '@rootward/lsp';
import type { CodeContext, OutlineSymbol } from '@rootward/lsp';
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

/** What a question says, or why it cannot be answered. */
async function said<Result>(ask: Promise<Result>): Promise<Result | string> {
  try {
    return await ask;
  } catch (error) {
    if (error instanceof RootwardLspError) return error.code;
    throw error;
  }
}

test.each(FOLDERS)('answers about %s do not depend on what was asked before', async (folder) => {
  const code = await open(folder);
  const asked: { readonly symbol: string; readonly file: string }[] = [];
  for (const file of await filesOf(code)) {
    const tree = await said(outline(code, { file }));
    if (typeof tree === 'string') continue;
    for (const symbol of leaves(tree.symbols)) asked.push({ symbol, file });
  }
  const totals = async (
    context: CodeContext,
    requests: typeof asked,
  ): Promise<ReadonlyMap<string, unknown>> => {
    const found = new Map<string, unknown>();
    for (const request of requests) {
      const where = await said(definition(context, request));
      const uses = await said(references(context, request));
      const dryRun = { ...request, newName: 'some_other_name' };
      const renamed = await said(renameSymbol(context, dryRun, new EditJournal('/nonexistent')));
      const known = await findSymbol(context, { query: request.symbol });
      found.set(`${request.file} ${request.symbol}`, [
        typeof where === 'string' ? where : where.definitions.map(({ file, line }) => `${file}:${line}`),
        typeof uses === 'string' ? uses : [uses.total, uses.complete, uses.files.map(({ file }) => file)],
        typeof renamed === 'string' ? renamed : [renamed.edits, renamed.complete],
        [known.total, known.complete, known.files.map(({ file }) => file)],
      ]);
    }
    return found;
  };
  const first = await totals(code, asked);
  const again = await totals(await open(folder), asked.toReversed());
  expect(Object.fromEntries(again)).toEqual(Object.fromEntries(first));
});
