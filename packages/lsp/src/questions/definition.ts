import type { Hover, MarkedString } from 'vscode-languageserver-protocol';
import { RootwardLspError } from '../error.js';
import type { OpenDocument } from '../documents/documents.js';
import { describeUnshown, type Unshown } from '../documents/unshown.js';
import type { ServerInstance } from '../pool/server-instance.js';
import { concealErrors } from '../filter/conceal-errors.js';
import { concealLiterals } from '../filter/conceal-literals.js';
import { concealPaths } from '../filter/conceal-paths.js';
import { LocationFilter } from '../filter/location-filter.js';
import type { CodeContext } from '../pool/code-context.js';
import { filesThatMayDefine, linkedDefinitions, mayHaveOthers } from './asking/linked-definitions.js';
import { loadingNotes } from './asking/loading.js';
import { requireCapability } from './asking/require-capability.js';
import { otherFilesToShow, settled } from './asking/show-files.js';
import { definitionTargets, type Spot, type Target } from './symbols/definition-targets.js';
import { covers, declaredAt, documentSymbols } from './symbols/document-symbols.js';
import { locateSymbol, type SymbolRequest } from './symbols/locate-symbol.js';
import { extentOf } from './symbols/symbol-extent.js';
import { readSymbol } from './symbols/symbol-name.js';

/** A symbol whose definition is asked for. */
export interface DefinitionRequest extends SymbolRequest {
  /** All of it, with its decorators and the comment above it. */
  readonly body?: boolean | undefined;
}

/** A place where a symbol is defined, with its source. */
export interface FoundDefinition {
  readonly file: string;
  /** Lines are counted from 1. */
  readonly line: number;
  readonly endLine: number;
  /** Empty where the file cannot be opened. */
  readonly source: string;
  /** Lines of it that are not shown. */
  readonly cut: number;
}

/** What `definition` returns. */
export interface DefinitionResult {
  readonly symbol: string;
  readonly definitions: readonly FoundDefinition[];
  /** What the server shows about it: type and documentation. Not for what is defined outside the roots. */
  readonly hover?: string;
  /** Definitions that lie outside the roots, such as those of a standard library. */
  readonly outside: number;
  /** Files that could not be opened, what was left out, and a server that is still reading its files. */
  readonly notes: readonly string[];
}

/** A longer declaration is shown when its body is asked for, or read with a file tool. */
const MAX_SOURCE_LINES = 80;
const MAX_BODY_LINES = 2_000;
/** Lines of generated code may be as long as a file. */
const MAX_SOURCE_CHARS = 8_000;
const MAX_BODY_CHARS = 100_000;
const MAX_DEFINITIONS = 10;
/** Shown inside the text itself. */
const IMAGE = /!\[[^\]\n]*\]\(data:[^)\n]*\)/g;
const ENTITIES: Readonly<Record<string, string>> = {
  '&nbsp;': ' ',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&amp;': '&',
};

/** Where a symbol is defined, with its source and what is known about it. */
export async function definition(
  context: CodeContext,
  request: DefinitionRequest,
): Promise<DefinitionResult> {
  const { servers, scope, signal } = context;
  const { path } = scope.locate(request.file);
  const instance = await servers.forFile(scope, path, context);
  requireCapability(instance, 'definitionProvider', 'find definitions');
  const answer = instance.withDocuments({ scope, paths: [path], signal }, async ([document]) => {
    if (document === undefined) throw new RootwardLspError('symbol-not-found', 'Cannot open the file');
    await settled(instance, [document], signal);
    const spots = await locateSymbol(context, instance, document, request);
    const found = await firstAnswered(context, instance, path, request.symbol, spots);
    return describeAll(context, instance, path, request, found);
  });
  return concealErrors(context, answer);
}

interface Answered {
  readonly spot: Spot;
  readonly targets: readonly Target[];
  readonly unshown: readonly Unshown[];
}

/** The server is shown further files only where it has no answer without them, or knows no more than a declaration. */
async function firstAnswered(
  context: CodeContext,
  instance: ServerInstance,
  path: string,
  symbol: string,
  spots: readonly Spot[],
): Promise<Answered> {
  const { servers, scope, signal } = context;
  const ask = async (): Promise<Omit<Answered, 'unshown'>> => {
    for (const spot of spots) {
      const own = await definedHere(instance, spot, signal);
      const targets = own ?? (await definitionTargets(instance, spot.document, spot.place, signal));
      if (targets.length > 0) return { spot, targets };
    }
    const [spot] = spots;
    if (spot === undefined) throw new RootwardLspError('symbol-not-found', `Cannot find "${symbol}"`);
    return { spot, targets: [] };
  };
  let answer = await ask();
  if (answer.targets.length === 0 && instance.readiness.isLoading) {
    context.progress?.(`${instance.definition.name} is reading its files`);
    await instance.readiness.wait(servers.limits.settleTimeout, signal);
    answer = await ask();
  }
  const { name: word } = readSymbol(symbol);
  const isDefined = async ({ targets }: Omit<Answered, 'unshown'>): Promise<boolean> =>
    targets.length > 0 && !(await isOnlyDeclared(context, instance, targets));
  const isLinked = ({ spot, targets }: Omit<Answered, 'unshown'>): Promise<boolean> =>
    mayHaveOthers(context, instance, spot, targets, word);
  if ((await isDefined(answer)) && !(await isLinked(answer))) return { ...answer, unshown: [] };
  const defining = await filesThatMayDefine(context, instance, path, word);
  const request = { scope, paths: [], signal };
  const narrow = await instance.withDocuments({ ...request, further: defining.files }, async (documents) => {
    await settled(instance, documents, signal);
    const again = documents.length === 0 ? answer : await ask();
    const linked = (await isLinked(again))
      ? await linkedDefinitions(instance, documents, { path, word }, signal)
      : [];
    return { ...again, targets: linked.length > 0 ? linked : again.targets };
  });
  if (await isDefined(narrow)) return { ...narrow, unshown: [] };
  const { files, unshown } = await otherFilesToShow(context, instance, path, symbol);
  if (files.length === 0) return { ...narrow, unshown };
  return instance.withDocuments({ ...request, further: files }, async (documents, unopened) => {
    await settled(instance, documents, signal);
    return { ...(await ask()), unshown: [...unshown, ...unopened] };
  });
}

/**
 * A declaration with a body is its own definition. Where names are linked across files, a server may name another one:
 * each program of a folder has its own `main`.
 */
async function definedHere(
  instance: ServerInstance,
  { document, place }: Spot,
  signal: AbortSignal | undefined,
): Promise<readonly Target[] | undefined> {
  const { body } = instance.definition;
  if (body === undefined) return undefined;
  const own = declaredAt(await documentSymbols(instance, document, signal), place)?.symbol;
  if (own === undefined || !covers(own.selection, place)) return undefined;
  if (!body.test(linesFrom(document.text, own.selection.start.line))) return undefined;
  return [{ uri: document.uri, selection: own.selection, range: own.range }];
}

function linesFrom(text: string, line: number): string {
  return text
    .split(/\r\n|\n|\r/)
    .slice(line)
    .join('\n');
}

/** Whether a server that knows opened files only has found declarations without a body, and the rest may be elsewhere. */
async function isOnlyDeclared(
  { scope, signal }: CodeContext,
  { definition: server }: ServerInstance,
  targets: readonly Target[],
): Promise<boolean> {
  if (server.body === undefined) return false;
  const filter = new LocationFilter(scope);
  for (const { uri, selection } of targets) {
    const file = filter.admit(uri);
    if (file === undefined) return false;
    const { text } = await scope.readText(file, signal === undefined ? {} : { signal });
    if (server.body.test(linesFrom(text, selection.start.line))) return false;
  }
  return true;
}

async function describeAll(
  context: CodeContext,
  instance: ServerInstance,
  path: string,
  { symbol, body = false }: DefinitionRequest,
  { spot, targets, unshown }: Answered,
): Promise<DefinitionResult> {
  const { scope, signal } = context;
  const filter = new LocationFilter(scope);
  const definitions: FoundDefinition[] = [];
  const sources = [spot.document.text];
  const unread: Unshown[] = [];
  const admitted = targets.flatMap((target) => {
    const file = filter.admit(target.uri);
    return file === undefined ? [] : [{ file, target }];
  });
  // What is shown about a symbol comes from where it is defined.
  const hovering = filter.outside === 0 ? hoverAt(context, instance, spot) : Promise.resolve('');
  for (const { file, target } of admitted.slice(0, MAX_DEFINITIONS)) {
    const {
      text,
      unshown: its,
      ...described
    } = await describe(context, instance, spot, { file, target, body });
    definitions.push(described);
    sources.push(text);
    unread.push(...its);
  }
  const hover = await hovering;
  const { name } = instance.definition;
  const literals = { scope, definition: instance.definition, sources, signal };
  const { texts, notes } = await concealLiterals([hover], literals);
  const shown = concealPaths(scope, texts.join(''), { file: path, sources });
  return {
    symbol,
    definitions,
    ...(shown !== '' && { hover: shown }),
    outside: filter.outside,
    notes: [
      ...notes,
      ...(targets.length === 0 ? loadingNotes(instance) : []),
      ...describeUnshown(name, targets.length > 0 ? unread : unshown),
    ],
  };
}

interface Admitted {
  readonly file: string;
  readonly target: Target;
  readonly body: boolean;
}

type Described = FoundDefinition & { readonly text: string; readonly unshown: readonly Unshown[] };

async function describe(
  { scope, signal }: CodeContext,
  instance: ServerInstance,
  spot: Spot,
  found: Admitted,
): Promise<Described> {
  const { file } = found;
  if (file === spot.document.path) return describeIn(instance, spot.document, found, signal);
  const request = { scope, paths: [], further: [file], signal };
  return instance.withDocuments(request, async ([document], unshown) => {
    const line = found.target.selection.start.line + 1;
    return document === undefined
      ? { file, line, endLine: line, source: '', cut: 0, text: '', unshown }
      : describeIn(instance, document, found, signal);
  });
}

async function describeIn(
  instance: ServerInstance,
  document: OpenDocument,
  { file, target, body }: Admitted,
  signal: AbortSignal | undefined,
): Promise<Described> {
  const { start } = target.selection;
  const range =
    target.range ??
    declaredAt(await documentSymbols(instance, document, signal), start)?.symbol.range ??
    target.selection;
  const lines = document.text.split(/\r\n|\n|\r/);
  const extent = extentOf(lines, range);
  const first = body ? extent.lead : range.start.line;
  const shown = shorten(lines.slice(first, extent.end + 1), body);
  return {
    file,
    line: start.line + 1,
    endLine: extent.end + 1,
    source: shown.join('\n'),
    cut: extent.end + 1 - first - shown.length,
    text: document.text,
    unshown: [],
  };
}

/** As many whole lines as there is room for; a first line that is too long alone is cut. Pure. */
function shorten(lines: readonly string[], body: boolean): readonly string[] {
  const [maxLines, maxChars] = body ? [MAX_BODY_LINES, MAX_BODY_CHARS] : [MAX_SOURCE_LINES, MAX_SOURCE_CHARS];
  const shown: string[] = [];
  let chars = 0;
  for (const line of lines.slice(0, maxLines)) {
    chars += line.length + 1;
    if (chars > maxChars) break;
    shown.push(line);
  }
  return shown.length === 0 ? [`${(lines[0] ?? '').slice(0, maxChars).toWellFormed()}…`] : shown;
}

async function hoverAt(
  { signal }: CodeContext,
  instance: ServerInstance,
  { document, place }: Spot,
): Promise<string> {
  if (!instance.capabilities.hoverProvider) return '';
  const params = { textDocument: { uri: document.uri }, position: place };
  try {
    const hover = await instance.request('textDocument/hover', params, signal);
    return hover === null ? '' : readable(hoverText(hover.contents));
  } catch {
    // The definition was asked for; it must not fail because of the additional text.
    signal?.throwIfAborted();
    return '';
  }
}

function hoverText(contents: Hover['contents'] | MarkedString): string {
  if (typeof contents === 'string') return contents.trim();
  if (Array.isArray(contents)) return contents.map(hoverText).filter(Boolean).join('\n\n');
  return contents.value.trim();
}

/** Without what is there for a browser. Pure. */
function readable(hover: string): string {
  return hover
    .replace(IMAGE, '')
    .replace(/&(?:nbsp|lt|gt|quot|#39|amp);/g, (entity) => ENTITIES[entity] ?? entity)
    .replace(/[^\S\n]+$/gm, '')
    .replace(/\n{3,}/g, '\n\n');
}
