import { containsPath, hostPathStyle, type Root } from '@rootward/core';
import type { SymbolInformation, WorkspaceSymbol } from 'vscode-languageserver-protocol';
import type { OpenDocument } from '../documents/documents.js';
import { describeUnshown } from '../documents/unshown.js';
import { LocationFilter } from '../filter/location-filter.js';
import type { ServerInstance } from '../pool/server-instance.js';
import { mayBeCut } from './answer-limit.js';
import { completeAnswer } from './asking/complete-answer.js';
import { linkedDefinitions } from './asking/definitions.js';
import { guessNotes, loadingNotes } from './asking/loading.js';
import type { CodeContext } from '../pool/code-context.js';
import { documentSymbols, kindName, placed } from './symbols/document-symbols.js';
import { isIn, serverName, type SymbolName } from './symbols/symbol-name.js';
import { filesServed, settled, type Shown } from './asking/show-files.js';

/** A declaration that `findSymbol` found. */
export interface FoundSymbol {
  readonly name: string;
  readonly kind: string;
  /** Counted from 1. */
  readonly line: number;
  /** What it is in. */
  readonly container?: string;
}

export interface Match extends FoundSymbol {
  readonly file: string;
}

/** What one server, or one project of it, found. */
export interface Part {
  readonly matches: readonly Match[];
  readonly complete: boolean;
  readonly notes: readonly string[];
}

/** Matches of which other definitions are looked for. */
const MAX_LINKED = 10;

/** Asks one server, which is shown these files first. */
export async function searchServer(
  context: CodeContext,
  instance: ServerInstance,
  wanted: SymbolName,
  roots: readonly Root[],
  toShow: Shown,
): Promise<Part> {
  const { scope, signal } = context;
  const query = wanted.name;
  const { name } = instance.definition;
  const searchesItself = Boolean(instance.capabilities.workspaceSymbolProvider);
  // Where the server searches itself, its documents would only add what they import.
  const {
    files: toOpen,
    cut,
    unshown,
  } = searchesItself ? toShow : await filesServed(context, instance, query, roots);
  const files = instance.index === undefined ? toOpen : [instance.index.first];
  return instance.withDocuments(
    { scope, paths: [], further: files, signal, thorough: true },
    async (documents, unopened) => {
      const worked = await settled(instance, documents, signal);
      const found = !searchesItself
        ? await searchDocuments(context, instance, documents)
        : await withLinked(context, instance, query, await searchFolders(context, instance, query));
      const matches = found.matches.filter(
        (match) => matchesQuery(match, wanted) && isUnder(roots, match.file),
      );
      const notes = [...found.notes, ...describeUnshown(name, [...unshown, ...unopened], found.matches)];
      if (cut)
        notes.push(`${name} was shown only some of the files that mention "${query}": there are too many`);
      notes.push(...guessNotes(instance, instance.index?.guessed ?? []));
      if (instance.readiness.hasFailed) notes.push(...loadingNotes(instance));
      else if (!worked || !found.complete) notes.push(`${name} is not done with its files yet: ask again`);
      return { matches, complete: notes.length === 0, notes };
    },
  );
}

async function searchFolders(context: CodeContext, instance: ServerInstance, query: string): Promise<Part> {
  const filter = new LocationFilter(context.scope);
  const { value, complete } = await completeAnswer(context, instance, async () => {
    return (await instance.request('workspace/symbol', { query }, context.signal)) ?? [];
  });
  const { definition } = instance;
  const notes = mayBeCut(definition, value.length)
    ? [`${definition.name} stopped at ${value.length} symbols and may know more: ask for more of the name`]
    : [];
  return { matches: value.flatMap((symbol) => toMatch(symbol, filter) ?? []), complete, notes };
}

/**
 * A server that links names across files lists one of several definitions of the same name, and which one is chance. It
 * is asked for the others of a name that is just what was asked for.
 */
async function withLinked(
  context: CodeContext,
  instance: ServerInstance,
  query: string,
  found: Part,
): Promise<Part> {
  const { scope, signal } = context;
  const matches = [...found.matches];
  for (const match of found.matches.filter(({ name }) => name === query).slice(0, MAX_LINKED)) {
    const request = { scope, paths: [], further: [match.file], signal, isSynced: true };
    await instance.withDocuments(request, async ([document]) => {
      if (document === undefined) return;
      const symbols = [...placed(await documentSymbols(instance, document, signal))];
      const own = symbols.find(
        ({ name, symbol }) => name === query && symbol.selection.start.line === match.line - 1,
      );
      if (own === undefined) return;
      const spot = { document, place: own.symbol.selection.start };
      for (const { file, selection } of await linkedDefinitions(context, instance, spot))
        matches.push({ ...match, file, line: selection.start.line + 1 });
    });
  }
  return { ...found, matches };
}

async function searchDocuments(
  { signal }: CodeContext,
  instance: ServerInstance,
  documents: readonly OpenDocument[],
): Promise<Part> {
  const matches: Match[] = [];
  for (const document of documents) {
    const symbols = await documentSymbols(instance, document, signal);
    for (const { symbol, name, containers } of placed(symbols)) {
      const container = containers.join('.') || undefined;
      matches.push({
        file: document.path,
        name,
        kind: symbol.kind,
        line: symbol.selection.start.line + 1,
        ...(container !== undefined && { container }),
      });
    }
  }
  return { matches, complete: true, notes: [] };
}

function toMatch(symbol: SymbolInformation | WorkspaceSymbol, filter: LocationFilter): Match | undefined {
  const file = filter.admit(symbol.location.uri);
  if (file === undefined) return undefined;
  const { name, containers } = nameOf(symbol);
  const line = 'range' in symbol.location ? symbol.location.range.start.line + 1 : 1;
  const container = containers.join('.');
  return { file, name, kind: kindName(symbol.kind), line, ...(container !== '' && { container }) };
}

/** gopls names what a symbol is in with it: `Router.HandleFunc`, or `mux.(*Router).HandleFunc`. */
function nameOf({ name, containerName = '' }: SymbolInformation | WorkspaceSymbol): SymbolName {
  const own = serverName(name.replace(/^[\p{L}\p{N}_]+\.(?=\()/u, ''));
  const outer = containerName === '' || containerName.includes('/') ? [] : [containerName];
  const parts = own.name.split('.');
  const isDotted = own.containers.length === 0 && parts.length > 1 && parts.every((part) => WORD.test(part));
  return isDotted
    ? { name: parts.at(-1) ?? own.name, containers: parts.slice(0, -1) }
    : { name: own.name, containers: [...outer, ...own.containers] };
}

const WORD = /^[\p{L}_$][\p{L}\p{N}_$]*$/u;

/** What a symbol is in must end with what was asked for. */
function matchesQuery({ name, container }: Match, wanted: SymbolName): boolean {
  if (!name.toLowerCase().includes(wanted.name.toLowerCase())) return false;
  return isIn(container?.split(/\.|::/) ?? [], wanted.containers);
}

function isUnder(roots: readonly Root[], path: string): boolean {
  return roots.some((root) => containsPath(root.path, path, hostPathStyle));
}
