import type { Location } from 'vscode-languageserver-protocol';
import type { OpenDocument } from '../documents/documents.js';
import { describeUnshown } from '../documents/unshown.js';
import type { Place } from '../documents/find-word.js';
import type { ServerInstance } from '../pool/server-instance.js';
import { completeAnswer } from './asking/complete-answer.js';
import type { CodeContext } from './asking/context.js';
import { unreadable } from '../filter/conceal-errors.js';
import { LocationFilter } from '../filter/location-filter.js';
import type { SymbolRequest } from './symbols/locate-symbol.js';
import { locateSymbol } from './symbols/locate-symbol.js';
import { pageOf } from './asking/page.js';
import { requireCapability } from './asking/require-capability.js';
import { withUses } from './asking/show-files.js';

/** One use of a symbol, with the line it stands in. */
export interface Reference {
  /** Lines and columns are counted from 1. */
  readonly line: number;
  readonly column: number;
  readonly text: string;
}

/** What `references` returns: one page. Pass `nextCursor` for the next. */
export interface ReferencesResult {
  readonly symbol: string;
  readonly total: number;
  /** On this page, by file, in the order of the paths. */
  readonly files: readonly { readonly file: string; readonly references: readonly Reference[] }[];
  /** False while a server still looks through its files, or when there were too many to show it. */
  readonly complete: boolean;
  /** References that lie outside the roots. */
  readonly outside: number;
  /** Files that may use it and could not be shown to the server. */
  readonly notes: readonly string[];
  readonly nextCursor?: string;
}

/** References on one page. */
const PAGE_SIZE = 100;
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
  const { path } = scope.locate(request.file);
  const instance = await servers.forFile(scope, path, signal);
  requireCapability(instance, 'referencesProvider', 'find references');
  const { symbol } = request;
  return withUses(context, instance, { path, symbol }, async (document, seen) => {
    const places = await locateSymbol(instance, document, request, signal);
    const answer = await completeAnswer(context, instance, () =>
      firstAnswered(instance, document, places, signal),
    );
    const filter = new LocationFilter(scope);
    const found = admitAll(answer.value, filter);
    const notes = describeUnshown(instance.definition.name, seen.unshown, found);
    const page = pageOf(found, request.cursor, PAGE_SIZE);
    return {
      symbol,
      total: found.length,
      files: await byFile(context, page.items),
      complete: answer.complete && seen.all && notes.length === 0,
      outside: filter.outside,
      notes,
      ...(page.nextCursor !== undefined && { nextCursor: page.nextCursor }),
    };
  });
}

async function firstAnswered(
  instance: ServerInstance,
  document: OpenDocument,
  places: readonly Place[],
  signal: AbortSignal | undefined,
): Promise<readonly Location[]> {
  for (const position of places) {
    const answer = await instance.request(
      'textDocument/references',
      { textDocument: { uri: document.uri }, position, context: { includeDeclaration: true } },
      signal,
    );
    if (answer === null) continue;
    if (!Array.isArray(answer)) throw unreadable();
    if (answer.length > 0) return answer;
  }
  return [];
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

async function byFile(context: CodeContext, found: readonly Found[]): Promise<ReferencesResult['files']> {
  const lines = new LineReader(context);
  const files = new Map<string, Reference[]>();
  for (const { file, place } of found) {
    const list = files.get(file) ?? [];
    list.push({
      line: place.line + 1,
      column: place.character + 1,
      text: await lines.read(file, place.line),
    });
    files.set(file, list);
  }
  return [...files].map(([file, list]) => ({ file, references: list }));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Single lines of files in scope, each file read once. */
class LineReader {
  readonly #context: CodeContext;
  readonly #files = new Map<string, readonly string[]>();

  constructor(context: CodeContext) {
    this.#context = context;
  }

  /** Lines are counted from 0. Empty where the file cannot be read any more. */
  async read(file: string, line: number): Promise<string> {
    let lines = this.#files.get(file);
    if (lines === undefined) {
      lines = await this.#load(file);
      this.#files.set(file, lines);
    }
    return (lines[line] ?? '').trim().slice(0, MAX_LINE_CHARS).toWellFormed();
  }

  async #load(file: string): Promise<readonly string[]> {
    const { scope, signal } = this.#context;
    try {
      const { text } = await scope.readText(file, signal === undefined ? {} : { signal });
      return text.split(/\r\n|\n|\r/);
    } catch {
      signal?.throwIfAborted();
      return [];
    }
  }
}
