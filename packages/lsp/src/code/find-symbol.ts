import { extname } from 'node:path';
import type { Root } from '@rootward/core';
import { containsPath, hostPathStyle } from '@rootward/core';
import type { SymbolInformation, WorkspaceSymbol } from 'vscode-languageserver-protocol';
import { RootwardLspError } from '../error.js';
import type { LspErrorCode } from '../error.js';
import { sourceFiles } from '../documents/source-files.js';
import type { ServerInstance } from '../pool/server-instance.js';
import { languageIdOf } from '../servers/definition.js';
import { chooseRoots } from './choose-roots.js';
import { completeAnswer } from './complete-answer.js';
import { concealErrors } from '../filter/conceal-errors.js';
import { concealPaths, MAX_NAME_CHARS } from '../filter/conceal-paths.js';
import type { CodeContext } from './context.js';
import { documentSymbols, withContainers } from './document-symbols.js';
import { LocationFilter } from '../filter/location-filter.js';
import { filesToShow, settled } from './show-files.js';
import { kindName } from './symbol-kind.js';

/** A declaration that `findSymbol` found. */
export interface FoundSymbol {
  readonly name: string;
  readonly kind: string;
  /** Counted from 1. */
  readonly line: number;
  /** What it is in. */
  readonly container?: string;
}

/** What `findSymbol` returns. */
export interface FindSymbolResult {
  readonly query: string;
  readonly total: number;
  /** By file; the best matches first. */
  readonly files: readonly { readonly file: string; readonly symbols: readonly FoundSymbol[] }[];
  readonly complete: boolean;
  /** More were found than are listed. */
  readonly truncated: boolean;
  /** What could not be asked, and why. */
  readonly notes: readonly string[];
}

interface Match extends FoundSymbol {
  readonly file: string;
}

const MAX_SYMBOLS = 100;
/** Files looked at to learn which languages a root holds. */
const MAX_SAMPLED = 3_000;
/** Languages that are not served here at all; asking again would change nothing. */
const NOT_SERVED: ReadonlySet<LspErrorCode> = new Set([
  'no-server',
  'not-installed',
  'not-trusted',
  'broad-root',
]);

/** Declarations whose name contains the query, in any letter case, over all roots and languages. */
export async function findSymbol(
  context: CodeContext,
  request: { readonly query: string; readonly root?: string | undefined },
): Promise<FindSymbolResult> {
  const query = request.query.trim();
  if (query === '') throw new RootwardLspError('invalid-option', 'Cannot search: the query is empty');
  const roots = chooseRoots(context.scope, request.root);
  const { instances, notes, complete } = await serversIn(context, roots);
  const found = await Promise.all(
    instances.map(async (instance) => {
      try {
        return await concealErrors(context, search(context, instance, query, roots));
      } catch (error) {
        if (!(error instanceof RootwardLspError)) throw error;
        notes.push(error.message);
        return { matches: [], complete: false };
      }
    }),
  );
  const matches = rank(
    found.flatMap((part) => part.matches),
    query,
  );
  return {
    query,
    total: matches.length,
    files: byFile(matches.slice(0, MAX_SYMBOLS).map((match) => concealMatch(context, match))),
    complete: complete && found.every((part) => part.complete),
    truncated: matches.length > MAX_SYMBOLS,
    notes,
  };
}

/** One server per language and, where it knows one folder only, per folder. */
async function serversIn(
  { servers, scope, signal }: CodeContext,
  roots: readonly Root[],
): Promise<{ instances: readonly ServerInstance[]; notes: string[]; complete: boolean }> {
  const instances = new Set<ServerInstance>();
  const notes = new Set<string>();
  let complete = true;
  for (const root of roots) {
    const seen = new Set<string>();
    const wanted = (path: string): boolean =>
      servers.servers.some((definition) => languageIdOf(definition, path) !== undefined);
    let sampled = 0;
    for await (const file of sourceFiles(scope, { roots: [root], wanted, signal })) {
      sampled += 1;
      if (sampled > MAX_SAMPLED) {
        complete = false;
        break;
      }
      const kind = extname(file);
      if (seen.has(kind)) continue;
      seen.add(kind);
      try {
        instances.add(await servers.forFile(scope, file));
      } catch (error) {
        if (!(error instanceof RootwardLspError)) throw error;
        if (!NOT_SERVED.has(error.code)) complete = false;
        notes.add(error.instruction === undefined ? error.message : `${error.message}. ${error.instruction}`);
      }
    }
  }
  return { instances: [...instances], notes: [...notes], complete };
}

async function search(
  context: CodeContext,
  instance: ServerInstance,
  query: string,
  roots: readonly Root[],
): Promise<{ readonly matches: readonly Match[]; readonly complete: boolean }> {
  const { scope, signal } = context;
  const { files, cut } = await filesToShow(context, instance, query, roots);
  return instance.withDocuments({ scope, paths: files, signal, thorough: true }, async (documents) => {
    const worked = await settled(instance, documents, signal);
    const filter = new LocationFilter(scope);
    const matches: Match[] = [];
    // Where the server searches itself, its documents would only add what they import.
    const own = instance.capabilities.workspaceSymbolProvider ? [] : documents;
    for (const document of own) {
      for (const { symbol, containers } of withContainers(
        await documentSymbols(instance, document, signal),
      )) {
        if (!matchesQuery(symbol.name, query)) continue;
        const container = containers.at(-1);
        matches.push({
          file: document.path,
          name: symbol.name,
          kind: symbol.kind,
          line: symbol.selection.start.line + 1,
          ...(container !== undefined && { container }),
        });
      }
    }
    if (!instance.capabilities.workspaceSymbolProvider) return { matches, complete: worked && !cut };
    const { value, complete } = await completeAnswer(context, instance, async () => {
      return (await instance.request('workspace/symbol', { query }, signal)) ?? [];
    });
    for (const symbol of value) {
      const match = toMatch(symbol, filter);
      if (match !== undefined && matchesQuery(match.name, query) && isIn(roots, match.file))
        matches.push(match);
    }
    return { matches, complete: complete && worked && !cut };
  });
}

function toMatch(symbol: SymbolInformation | WorkspaceSymbol, filter: LocationFilter): Match | undefined {
  const file = filter.admit(symbol.location.uri);
  if (file === undefined) return undefined;
  const { name, kind, containerName } = symbol;
  const line = 'range' in symbol.location ? symbol.location.range.start.line + 1 : 1;
  return {
    file,
    name,
    kind: kindName(kind),
    line,
    ...(containerName !== undefined && containerName !== '' && { container: containerName }),
  };
}

/** A module may be named by its path. */
function concealMatch({ scope }: CodeContext, { name, container, ...match }: Match): Match {
  const conceal = (text: string): string => concealPaths(scope, text, { maxChars: MAX_NAME_CHARS });
  return {
    ...match,
    name: conceal(name),
    ...(container !== undefined && { container: conceal(container) }),
  };
}

function matchesQuery(name: string, query: string): boolean {
  return name.toLowerCase().includes(query.toLowerCase());
}

function isIn(roots: readonly Root[], path: string): boolean {
  return roots.some((root) => containsPath(root.path, path, hostPathStyle));
}

/** Exact names first, then beginnings, then the rest; each declaration once. Pure. */
function rank(matches: readonly Match[], query: string): readonly Match[] {
  const distinct = new Map<string, Match>();
  for (const match of matches) {
    const key = `${match.file}\n${match.line}\n${match.name}`;
    if (!distinct.has(key)) distinct.set(key, match);
  }
  const score = ({ name }: Match): number =>
    name === query ? 0 : name.toLowerCase() === query.toLowerCase() ? 1 : name.startsWith(query) ? 2 : 3;
  return [...distinct.values()].toSorted(
    (a, b) => score(a) - score(b) || (a.file < b.file ? -1 : a.file > b.file ? 1 : a.line - b.line),
  );
}

function byFile(matches: readonly Match[]): FindSymbolResult['files'] {
  const files = new Map<string, FoundSymbol[]>();
  for (const { file, ...symbol } of matches) {
    const list = files.get(file) ?? [];
    list.push(symbol);
    files.set(file, list);
  }
  return [...files].map(([file, symbols]) => ({ file, symbols }));
}
