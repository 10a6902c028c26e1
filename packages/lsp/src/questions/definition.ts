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
import { definedAt, linkedDefinitions } from './asking/definitions.js';
import { guessNotes, loadingNotes } from './asking/loading.js';
import { parsedDefinitions, parserInstead } from './by-syntax.js';
import type { SyntaxSource } from '../pool/syntax-source.js';
import { requireCapability } from './asking/require-capability.js';
import { otherFilesToShow, settled } from './asking/show-files.js';
import { definitionTargets, type Spot, type Target } from './symbols/definition-targets.js';
import { declaredAt, documentSymbols } from './symbols/document-symbols.js';
import { locateSymbol, type SymbolRequest } from './symbols/locate-symbol.js';
import { extentOf } from './symbols/symbol-extent.js';

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
  /** Set where no language server answered, but a parser: these are declarations of that name. */
  readonly from?: 'syntax';
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
  const ask = (instance: ServerInstance): Promise<DefinitionResult> => {
    requireCapability(instance, 'definitionProvider', 'find definitions');
    return instance.withDocuments({ scope, paths: [path], signal }, async ([document]) => {
      if (document === undefined) throw new RootwardLspError('symbol-not-found', 'Cannot open the file');
      await settled(instance, [document], signal);
      const spots = await locateSymbol(context, instance, document, request);
      const found = await findTargets(context, instance, path, request.symbol, spots);
      return describeAll(context, instance, path, request, found);
    });
  };
  try {
    return await concealErrors(context, servers.ask(scope, path, ask, context));
  } catch (error) {
    const { source, notes } = await parserInstead(context, path, error);
    return byParser(context, source, path, request, notes);
  }
}

/** The declarations of a name that a parser finds: candidates, since it does not know which one is meant. */
async function byParser(
  context: CodeContext,
  source: SyntaxSource,
  path: string,
  { symbol, body = false }: DefinitionRequest,
  notes: readonly string[],
): Promise<DefinitionResult> {
  const found = await parsedDefinitions(context, source, path, symbol);
  const definitions = found.slice(0, MAX_DEFINITIONS).map(({ file, lines, placed }): FoundDefinition => {
    const { range, selection } = placed.symbol;
    const extent = extentOf(lines, range);
    const first = body ? extent.lead : range.start.line;
    const shown = shorten(lines.slice(first, extent.end + 1), body);
    return {
      file,
      line: selection.start.line + 1,
      endLine: extent.end + 1,
      source: shown.join('\n'),
      cut: extent.end + 1 - first - shown.length,
    };
  });
  return { symbol, definitions, outside: 0, from: 'syntax', notes };
}

/** What a server says of a symbol. */
interface Answer {
  readonly spot: Spot;
  readonly targets: readonly Target[];
}

interface Answered extends Answer {
  readonly unshown: readonly Unshown[];
}

/** The server is shown further files only where it has no answer without them. */
async function findTargets(
  context: CodeContext,
  instance: ServerInstance,
  path: string,
  symbol: string,
  spots: readonly Spot[],
): Promise<Answered> {
  const { servers, signal } = context;
  const settle = async (): Promise<void> => {
    context.progress?.(`${instance.definition.name} is reading its files`);
    await instance.readiness.wait(servers.limits.settleTimeout, signal);
  };
  // Without its index it knows declarations only.
  if (instance.index !== undefined && instance.readiness.isLoading) await settle();
  let answer = await firstAnswered(context, instance, symbol, spots);
  if (answer.targets.length === 0 && instance.readiness.isLoading) {
    await settle();
    answer = await firstAnswered(context, instance, symbol, spots);
  }
  if (answer.targets.length > 0) return { ...answer, unshown: [] };
  return withMentions(context, instance, path, symbol, answer, spots);
}

/** The answer to the first of some places that has one. */
async function firstAnswered(
  context: CodeContext,
  instance: ServerInstance,
  symbol: string,
  spots: readonly Spot[],
): Promise<Answer> {
  for (const spot of spots) {
    const targets = await targetsOf(context, instance, spot);
    if (targets.length > 0) return { spot, targets };
  }
  const [spot] = spots;
  if (spot === undefined) throw new RootwardLspError('symbol-not-found', `Cannot find "${symbol}"`);
  return { spot, targets: [] };
}

/** A definition is its own; where names are linked across files, others of the name count as well. */
async function targetsOf(
  context: CodeContext,
  instance: ServerInstance,
  spot: Spot,
): Promise<readonly Target[]> {
  const { signal } = context;
  if (instance.definition.linksNames === true) {
    const own = await definedAt(instance, spot, signal);
    if (own !== undefined) return [own];
    const linked = await linkedDefinitions(context, instance, spot);
    if (linked.length > 0) return linked;
  }
  return definitionTargets(instance, spot.document, spot.place, signal);
}

/** Asks again with the files open that mention a symbol. */
async function withMentions(
  context: CodeContext,
  instance: ServerInstance,
  path: string,
  symbol: string,
  answer: Answer,
  spots: readonly Spot[],
): Promise<Answered> {
  const { scope, signal } = context;
  const { files, unshown } = await otherFilesToShow(context, instance, path, symbol);
  if (files.length === 0) return { ...answer, unshown };
  return instance.withDocuments({ scope, paths: [], further: files, signal }, async (documents, unopened) => {
    await settled(instance, documents, signal);
    const again = await firstAnswered(context, instance, symbol, spots);
    return { ...again, unshown: [...unshown, ...unopened] };
  });
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
      ...(targets.length === 0 ? [...loadingNotes(instance), ...guessNotes(instance, [path])] : []),
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
  const request = { scope, paths: [], further: [file], signal, isSynced: true };
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
  const lines = instance.facts.linesOf(document);
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
