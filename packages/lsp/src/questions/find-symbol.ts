import type { Root } from '@rootward/core';
import { RootwardLspError } from '../error.js';
import type { ServerDefinition } from '../servers/definition.js';
import { chooseRoots } from './asking/choose-roots.js';
import { concealErrors } from '../filter/conceal-errors.js';
import { concealPaths, MAX_NAME_CHARS } from '../filter/conceal-paths.js';
import type { CodeContext } from '../pool/code-context.js';
import type { ServerInstance } from '../pool/server-instance.js';
import { searchServer, type FoundSymbol, type Match, type Part } from './search-server.js';
import type { ServerToAsk, Unserved } from './asking/servers-to-ask.js';
import { filesToShow } from './asking/show-files.js';
import { withoutLocals } from './locals.js';
import { parseAll } from './by-syntax.js';
import { isIn, readSymbol, type SymbolName } from './symbols/symbol-name.js';
import { describeError, mayAddToAnswer, serversToAsk } from './asking/servers-to-ask.js';

/** What to look for, and where. */
export interface FindSymbolRequest {
  readonly query: string;
  readonly root?: string | undefined;
  /** Locals and parameters too, which are listed only where nothing else is found, or what they are in is named. */
  readonly locals?: boolean | undefined;
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
  /** False where nobody could be asked. */
  readonly searched: boolean;
  /** Set where some languages have no server, and a parser answered for them. */
  readonly from?: 'syntax';
  /** What may be missing, and why. */
  readonly notes: readonly string[];
}

const MAX_SYMBOLS = 100;
/** No further project is begun after this long: clients give up on a call after about a minute. */
const ASKING_MS = 30_000;
/** Projects named as left out; the others are counted. */
const MAX_NAMED = 5;

/** Declarations whose name contains the query, in any letter case, over all roots and languages. */
export async function findSymbol(
  context: CodeContext,
  request: FindSymbolRequest,
): Promise<FindSymbolResult> {
  const query = request.query.trim();
  if (query === '') throw new RootwardLspError('invalid-option', 'Cannot search: the query is empty');
  const roots = await chooseRoots(context.scope, request.root);
  const { toAsk, files, unserved, unservedFiles, notes, complete } = await serversToAsk(context, roots);
  const wanted = readSymbol(query);
  const parsed = await parse(context, unservedFiles, wanted);
  const parts = await Promise.all(toAsk.map((server) => askProjects(context, server, wanted, roots)));
  if (parsed !== undefined) parts.push(parsed);
  const found = rank(
    parts.flatMap((part) => part.matches),
    wanted.name,
    files,
  );
  const all = request.locals === true || wanted.containers.length > 0;
  const global = all ? found : await withoutLocals(context.scope, found, context.signal);
  const matches = global.length > 0 ? global : found;
  const isEmpty = found.length === 0;
  const shown = matches.slice(0, MAX_SYMBOLS).map((match) => concealMatch(context, match));
  return {
    query,
    total: matches.length,
    files: byFile(shown),
    complete:
      complete && parts.every((part) => part.complete) && !(isEmpty && unserved.some(({ isMain }) => isMain)),
    truncated: matches.length > MAX_SYMBOLS,
    searched: parts.length > 0 || files.size === 0,
    ...(parsed !== undefined && { from: 'syntax' as const }),
    notes: [
      ...new Set([
        ...unserved.filter((each) => !isAside(each, isEmpty)).map(({ error }) => describeError(error)),
        ...notes,
        ...parts.flatMap((part) => part.notes),
        ...aside(unserved.filter((each) => isAside(each, isEmpty))),
        ...unlisted(matches.length),
        ...leftOutLocals(found.length - matches.length),
      ]),
    ],
  };
}

/**
 * Asks a server in each project where it knows one folder only, one after the other. More than may run at a time would
 * push each other out, so the rest is named and not asked.
 */
async function askProjects(
  context: CodeContext,
  { definition, projects }: ServerToAsk,
  wanted: SymbolName,
  roots: readonly Root[],
): Promise<Part> {
  const { servers, scope, signal } = context;
  const deadline = servers.clock.now() + ASKING_MS;
  let matches: readonly Match[] = [];
  const notes: string[] = [];
  let complete = true;
  let asked = 0;
  for (const file of projects.values()) {
    signal?.throwIfAborted();
    if (asked > 0 && (asked >= servers.limits.maxServers || servers.clock.now() >= deadline)) break;
    asked += 1;
    try {
      const ask = (instance: ServerInstance): Promise<Part & Pick<ServerInstance, 'kind'>> =>
        instance.whileBusy(async () => {
          const toShow = await filesToShow(context, instance, wanted.name, roots);
          const part = await concealErrors(context, searchServer(context, instance, wanted, roots, toShow));
          return { ...part, kind: instance.kind };
        });
      const part = await servers.ask(scope, file, ask, { ...context, thorough: true });
      matches = matches.concat(part.matches);
      notes.push(...part.notes);
      complete &&= part.complete;
      // It knows the other projects too.
      if (part.kind !== 'per-root') return { matches, complete, notes };
    } catch (error) {
      if (!(error instanceof RootwardLspError)) throw error;
      if (mayAddToAnswer(error)) complete = false;
      notes.push(describeError(error));
    }
  }
  const left = [...projects.keys()].slice(asked);
  if (left.length > 0) notes.push(leftOut(definition, asked, left));
  return { matches, complete: complete && left.length === 0, notes };
}

/** Declarations in files without a server, by a parser; undefined where it knows none of them. */
async function parse(
  context: CodeContext,
  unserved: readonly string[],
  wanted: SymbolName,
): Promise<Part | undefined> {
  if (unserved.length === 0) return undefined;
  const source = await context.syntax?.();
  const known = unserved.filter((file) => source?.languageOf(file) !== undefined);
  if (source === undefined || known.length === 0) return undefined;
  const files: string[] = [];
  const query = wanted.name.toLowerCase();
  for (const file of known) {
    const text = await textOf(context, file);
    if (text?.toLowerCase().includes(query) === true) files.push(file);
  }
  const { found, notes } = await parseAll(
    context,
    source,
    files,
    ({ name, containers }) => name.toLowerCase().includes(query) && isIn(containers, wanted.containers),
  );
  const matches = found.map(({ file, placed: { symbol, name, containers } }): Match => {
    const container = containers.join('.');
    const line = symbol.selection.start.line + 1;
    const match = { file, name, kind: symbol.kind, line };
    return container === '' ? match : Object.assign(match, { container });
  });
  return { matches, complete: false, notes };
}

async function textOf({ scope, signal }: CodeContext, file: string): Promise<string | undefined> {
  try {
    return (await scope.readText(file, signal === undefined ? {} : { signal })).text;
  } catch {
    signal?.throwIfAborted();
    return undefined;
  }
}

/** A language without a server is mentioned at the end, unless that is why nothing was found: then what to do matters. */
function isAside({ error, isMain }: Unserved, isEmpty: boolean): boolean {
  return error.code === 'not-installed' && !(isEmpty && isMain);
}

function aside(unserved: readonly Unserved[]): readonly string[] {
  const languages = unserved.map(({ language }) => language).join(', ');
  return languages === '' ? [] : [`no server is installed for ${languages}`];
}

function leftOutLocals(count: number): readonly string[] {
  return count === 0 ? [] : [`${count} locals are left out: name what they are in, as in Outer.name`];
}

function unlisted(total: number): readonly string[] {
  return total > MAX_SYMBOLS ? [`${total} were found; the best ${MAX_SYMBOLS} are listed`] : [];
}

function leftOut({ name }: ServerDefinition, asked: number, left: readonly string[]): string {
  const named = left.slice(0, MAX_NAMED).map((folder) => `"${folder}"`);
  const more = left.length > named.length ? ` and ${left.length - named.length} more` : '';
  return `${name} was asked in ${asked} of ${asked + left.length} projects, not in ${named.join(', ')}${more}`;
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

/** Generated files. */
const GENERATED =
  /(?:\.min\.|\.generated\.|[._-]pb2?\.|_pb2_grpc\.|[\\/](?:dist|build|out|generated|__generated__|vendor)[\\/])/i;

/**
 * Exact names first, then beginnings, then the rest; what git ignores or a program has written comes last. Each
 * declaration once. Pure.
 */
function rank(matches: readonly Match[], query: string, sources: ReadonlySet<string>): readonly Match[] {
  const distinct = new Map<string, Match>();
  for (const match of matches) {
    const key = `${match.file}\n${match.line}\n${match.name}`;
    if (!distinct.has(key)) distinct.set(key, match);
  }
  const score = ({ name }: Match): number =>
    name === query ? 0 : name.toLowerCase() === query.toLowerCase() ? 1 : name.startsWith(query) ? 2 : 3;
  const isLast = ({ file }: Match): number => Number(!sources.has(file) || GENERATED.test(file));
  return [...distinct.values()].toSorted(
    (a, b) =>
      isLast(a) - isLast(b) ||
      score(a) - score(b) ||
      (a.file < b.file ? -1 : a.file > b.file ? 1 : a.line - b.line),
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
