import type { Hover, MarkedString, Range } from 'vscode-languageserver-protocol';
import { RootwardLspError } from '../error.js';
import type { OpenDocument } from '../documents/documents.js';
import type { Unshown } from '../documents/unshown.js';
import { describeUnshown } from '../documents/unshown.js';
import type { Place } from '../documents/find-word.js';
import type { ServerInstance } from '../pool/server-instance.js';
import { concealErrors } from '../filter/conceal-errors.js';
import { concealLiterals } from '../filter/conceal-literals.js';
import { concealPaths } from '../filter/conceal-paths.js';
import type { CodeContext } from './asking/context.js';
import { definitionTargets } from './symbols/definition-targets.js';
import type { Target } from './symbols/definition-targets.js';
import { documentSymbols, withContainers } from './symbols/document-symbols.js';
import { LocationFilter } from '../filter/location-filter.js';
import type { SymbolRequest } from './symbols/locate-symbol.js';
import { locateSymbol } from './symbols/locate-symbol.js';
import { requireCapability } from './asking/require-capability.js';
import { filesAround, settled } from './asking/show-files.js';

/** A place where a symbol is defined, with its source. */
export interface FoundDefinition {
  readonly file: string;
  /** Lines are counted from 1. */
  readonly line: number;
  readonly endLine: number;
  /** Empty where the file cannot be opened. */
  readonly source: string;
}

/** What `definition` returns. */
export interface DefinitionResult {
  readonly symbol: string;
  readonly definitions: readonly FoundDefinition[];
  /** What the server shows about it: type and documentation. Not for what is defined outside the roots. */
  readonly hover?: string;
  /** Definitions that lie outside the roots, such as those of a standard library. */
  readonly outside: number;
  /** Files that could not be opened: those of the definitions, or where there are none, those that may hold one. */
  readonly notes: readonly string[];
}

/** A longer declaration is better read with a file tool. */
const MAX_SOURCE_LINES = 80;
/** Lines of generated code may be as long as a file. */
const MAX_SOURCE_CHARS = 8_000;
const MAX_DEFINITIONS = 10;

/** Where a symbol is defined, with its source and what is known about it. */
export async function definition(context: CodeContext, request: SymbolRequest): Promise<DefinitionResult> {
  const { servers, scope, signal } = context;
  const { path } = scope.locate(request.file);
  const instance = await servers.forFile(scope, path, signal);
  requireCapability(instance, 'definitionProvider', 'find definitions');
  const { files, unshown } = await filesAround(context, instance, path, request.symbol);
  const answer = instance.withDocuments(
    { scope, paths: [path], further: files, signal },
    async (documents, unopened) => {
      const [document] = documents;
      if (document === undefined) throw new RootwardLspError('symbol-not-found', 'Cannot open the file');
      await instance.readiness.wait(servers.limits.settleTimeout, signal);
      await settled(instance, documents, signal);
      const places = await locateSymbol(instance, document, request, signal);
      const { place, targets } = await firstAnswered(instance, document, places, signal);
      const filter = new LocationFilter(scope);
      const definitions: FoundDefinition[] = [];
      const sources = [document.text];
      const unread: Unshown[] = [];
      for (const target of targets) {
        const file = filter.admit(target.uri);
        if (file === undefined || definitions.length >= MAX_DEFINITIONS) continue;
        const { text, unshown: its, ...described } = await describe(context, instance, file, target);
        definitions.push(described);
        sources.push(text);
        unread.push(...its);
      }
      // What is shown about a symbol comes from where it is defined.
      const hover = filter.outside === 0 ? await hoverAt(context, instance, document, place) : '';
      const literals = { scope, definition: instance.definition, sources, signal };
      const { texts, notes } = await concealLiterals([hover], literals);
      const text = concealPaths(scope, texts.join(''), { file: path, sources });
      return {
        symbol: request.symbol,
        definitions,
        ...(text !== '' && { hover: text }),
        outside: filter.outside,
        notes: [
          ...notes,
          ...describeUnshown(
            instance.definition.name,
            targets.length > 0 ? unread : [...unshown, ...unopened],
          ),
        ],
      };
    },
  );
  return concealErrors(context, answer);
}

async function firstAnswered(
  instance: ServerInstance,
  document: OpenDocument,
  places: readonly Place[],
  signal: AbortSignal | undefined,
): Promise<{ readonly place: Place; readonly targets: readonly Target[] }> {
  for (const place of places) {
    const targets = await definitionTargets(instance, document, place, signal);
    if (targets.length > 0) return { place, targets };
  }
  return { place: places[0] ?? { line: 0, character: 0 }, targets: [] };
}

async function describe(
  { scope, signal }: CodeContext,
  instance: ServerInstance,
  file: string,
  target: Target,
): Promise<FoundDefinition & { readonly text: string; readonly unshown: readonly Unshown[] }> {
  const request = { scope, paths: [], further: [file], signal };
  return instance.withDocuments(request, async ([document], unshown) => {
    const found = target.selection.start.line + 1;
    if (document === undefined) return { file, line: found, endLine: found, source: '', text: '', unshown };
    const range = target.range ?? (await enclosing(instance, document, target.selection, signal));
    const lines = document.text.split(/\r\n|\n|\r/);
    const { line } = range.start;
    const end = Math.min(range.end.line, line + MAX_SOURCE_LINES - 1);
    return {
      file,
      line: found,
      endLine: range.end.line + 1,
      source: shorten(lines.slice(line, end + 1).join('\n')),
      text: document.text,
      unshown,
    };
  });
}

function shorten(source: string): string {
  return source.length > MAX_SOURCE_CHARS ? `${source.slice(0, MAX_SOURCE_CHARS).toWellFormed()}…` : source;
}

/** The whole declaration around a name, for servers that tell the place of the name only. */
async function enclosing(
  instance: ServerInstance,
  document: OpenDocument,
  selection: Range,
  signal: AbortSignal | undefined,
): Promise<Range> {
  const symbols = await documentSymbols(instance, document, signal);
  const { line, character } = selection.start;
  const found = [...withContainers(symbols)].find(({ symbol }) => {
    const { start } = symbol.selection;
    return start.line === line && (start.character === character || symbol.range.start.line === line);
  });
  return found?.symbol.range ?? selection;
}

async function hoverAt(
  { signal }: CodeContext,
  instance: ServerInstance,
  document: OpenDocument,
  position: Place,
): Promise<string> {
  if (!instance.capabilities.hoverProvider) return '';
  const params = { textDocument: { uri: document.uri }, position };
  try {
    const hover = await instance.request('textDocument/hover', params, signal);
    return hover === null ? '' : hoverText(hover.contents);
  } catch {
    // The definition is what was asked for; it must not be lost with the extra.
    signal?.throwIfAborted();
    return '';
  }
}

function hoverText(contents: Hover['contents'] | MarkedString): string {
  if (typeof contents === 'string') return contents.trim();
  if (Array.isArray(contents)) return contents.map(hoverText).filter(Boolean).join('\n\n');
  return contents.value.trim();
}
