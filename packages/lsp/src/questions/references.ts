import { fileUriToPath } from '@rootward/core';
import type { Location } from 'vscode-languageserver-protocol';
import type { Place } from '../documents/find-word.js';
import { unreadable } from '../filter/conceal-errors.js';
import { LocationFilter } from '../filter/location-filter.js';
import type { ServerInstance } from '../pool/server-instance.js';
import type { CodeContext } from '../pool/code-context.js';
import { everyUse } from './asking/every-use.js';
import { pageOf } from './asking/page.js';
import { requireCapability } from './asking/require-capability.js';
import { definitionTargets, type Spot } from './symbols/definition-targets.js';
import { covers, documentSymbols, enclosing, type SymbolNode } from './symbols/document-symbols.js';
import type { SymbolRequest } from './symbols/locate-symbol.js';

/** One use of a symbol, with the line it stands in. */
export interface Reference {
  /** Lines and columns are counted from 1. */
  readonly line: number;
  readonly column: number;
  readonly text: string;
  /** The symbol it stands in, such as `Cart.total`; absent at the top of a file. */
  readonly within?: string;
}

/** What `references` returns: one page. Pass `nextCursor` for the next. */
export interface ReferencesResult {
  readonly symbol: string;
  readonly total: number;
  /** On this page, by file, in the order of the paths. */
  readonly files: readonly { readonly file: string; readonly references: readonly Reference[] }[];
  /** False while a server still reads its files, or where a file mentions the symbol and nobody knows why. */
  readonly complete: boolean;
  /** References that lie outside the roots. */
  readonly outside: number;
  /** Files that may use it: those that could not be shown to the server, and those it leaves out. */
  readonly notes: readonly string[];
  readonly nextCursor?: string;
}

/** References on one page. */
const PAGE_SIZE = 100;
/** Declarations of one name of which the uses are asked for. */
const MAX_DECLARATIONS = 5;
/** A longer line is minified code. */
const MAX_LINE_CHARS = 200;

interface Found {
  readonly file: string;
  readonly place: Place;
}

/** Where a symbol is used, its declaration included, over all roots. */
export async function references(
  context: CodeContext,
  request: SymbolRequest & { readonly cursor?: string | undefined },
): Promise<ReferencesResult> {
  const { servers, scope, signal } = context;
  const ask = async (instance: ServerInstance): Promise<ReferencesResult> => {
    requireCapability(instance, 'referencesProvider', 'find references');
    const question = {
      request,
      ask: (spots: readonly Spot[]) => firstAnswered(instance, spots, signal),
      placesIn: (locations: readonly Location[]) => locations,
      withUses: withLocations,
    };
    return everyUse(context, instance, question, async ({ value, complete, notes }) => {
      const filter = new LocationFilter(scope);
      const found = admitAll(value, filter);
      const page = pageOf(found, request.cursor, PAGE_SIZE);
      return {
        symbol: request.symbol,
        total: found.length,
        files: await byFile(context, instance, page.items),
        complete,
        outside: filter.outside,
        notes,
        ...(page.nextCursor !== undefined && { nextCursor: page.nextCursor }),
      };
    });
  };
  return servers.ask(scope, request.file, ask, { ...context, thorough: true });
}

/**
 * Lists the uses of a symbol as a server gives them, from the first place that it has an answer for. A name may be
 * declared more than once, as a type and as a value: the uses of all its declarations count.
 */
export async function firstAnswered(
  instance: ServerInstance,
  spots: readonly Spot[],
  signal: AbortSignal | undefined,
): Promise<readonly Location[]> {
  for (const { document, place } of spots) {
    const answer = await usesAt(instance, { uri: document.uri, place }, signal);
    if (answer.length === 0) continue;
    const all = new Map(answer.map((each) => [keyOf(each), each]));
    const targets = instance.capabilities.definitionProvider
      ? await definitionTargets(instance, document, place, signal)
      : [];
    for (const { uri, selection } of targets.slice(0, MAX_DECLARATIONS)) {
      if (all.has(keyOf({ uri, range: selection })) || !instance.hasOpen(fileUriToPath(uri))) continue;
      for (const each of await usesAt(instance, { uri, place: selection.start }, signal))
        all.set(keyOf(each), each);
    }
    return [...all.values()];
  }
  return [];
}

/** Adds places to the locations that a server gave. Pure. */
export function withLocations(
  locations: readonly Location[],
  more: readonly Location[],
): readonly Location[] {
  return [...locations, ...more];
}

interface At {
  readonly uri: string;
  readonly place: Place;
}

async function usesAt(
  instance: ServerInstance,
  { uri, place }: At,
  signal: AbortSignal | undefined,
): Promise<readonly Location[]> {
  const context = { includeDeclaration: true };
  const params = { textDocument: { uri }, position: place, context };
  const answer = await instance.request('textDocument/references', params, signal);
  if (answer !== null && !Array.isArray(answer)) throw unreadable();
  return answer ?? [];
}

function keyOf({ uri, range: { start } }: Location): string {
  return `${uri} ${start.line}:${start.character}`;
}

/** In scope, each once, by path and place. */
function admitAll(locations: readonly Location[], filter: LocationFilter): readonly Found[] {
  const found = new Map<string, Found>();
  for (const { uri, range } of locations) {
    const file = filter.admit(uri);
    if (file === undefined) continue;
    const { line, character } = range.start;
    found.set(`${file}\n${line}\n${character}`, { file, place: { line, character } });
  }
  return [...found.values()].toSorted(
    (a, b) => compare(a.file, b.file) || a.place.line - b.place.line || a.place.character - b.place.character,
  );
}

/** By file, each use with the symbol it stands in. */
async function byFile(
  { scope, signal }: CodeContext,
  instance: ServerInstance,
  found: readonly Found[],
): Promise<ReferencesResult['files']> {
  const places = new Map<string, Place[]>();
  for (const { file, place } of found) places.set(file, [...(places.get(file) ?? []), place]);
  const files: { readonly file: string; readonly references: readonly Reference[] }[] = [];
  for (const [file, uses] of places) {
    const request = { scope, paths: [], further: [file], signal };
    const described = await instance.withDocuments(request, async ([document]) => {
      const lines = (document?.text ?? '').split(/\r\n|\n|\r/);
      const symbols = document === undefined ? [] : await documentSymbols(instance, document, signal);
      return uses.map((place): Reference => {
        const within = containerName(symbols, place);
        const text = (lines[place.line] ?? '').trim().slice(0, MAX_LINE_CHARS).toWellFormed();
        const use = { line: place.line + 1, column: place.character + 1, text };
        return within === '' ? use : Object.assign(use, { within });
      });
    });
    files.push({ file, references: described });
  }
  return files;
}

/** A declaration is inside its container, not inside itself. */
function containerName(symbols: readonly SymbolNode[], place: Place): string {
  const container = enclosing(symbols, place);
  if (container === undefined) return '';
  const isDeclared = covers(container.symbol.selection, place);
  return [...container.containers, ...(isDeclared ? [] : [container.name])].join('.');
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
