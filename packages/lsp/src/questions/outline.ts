import type { OpenDocument } from '../documents/documents.js';
import { concealErrors } from '../filter/conceal-errors.js';
import { concealPaths, MAX_NAME_CHARS } from '../filter/conceal-paths.js';
import type { CodeContext } from '../pool/code-context.js';
import type { ServerInstance } from '../pool/server-instance.js';
import { parsedSymbols, parserInstead } from './by-syntax.js';
import { requireCapability } from './asking/require-capability.js';
import { freshSymbols, isValue, type SymbolNode } from './symbols/document-symbols.js';
import { extentOf } from './symbols/symbol-extent.js';

/** A declaration in a file, with those inside it. */
export interface OutlineSymbol {
  readonly name: string;
  readonly kind: string;
  /** Lines are counted from 1. */
  readonly line: number;
  readonly endLine: number;
  /** All of it, for the innermost symbols that are listed, where bodies are asked for. */
  readonly source?: string;
  readonly children?: readonly OutlineSymbol[];
}

/** What `outline` returns. */
export interface Outline {
  readonly file: string;
  readonly symbols: readonly OutlineSymbol[];
  /** Symbols were left out, innermost first, to keep the answer short. */
  readonly truncated: boolean;
  /** Set where no language server answered, but a parser. */
  readonly from?: 'syntax';
  readonly notes?: readonly string[];
}

/** Which file, and how much of it. */
export interface OutlineRequest {
  readonly file: string;
  /** How many levels; all symbols, locals and imports too, where it is given. */
  readonly depth?: number | undefined;
  readonly body?: boolean | undefined;
}

/** A longer list is no overview. */
const MAX_SYMBOLS = 400;
const MAX_BODY_CHARS = 60_000;
/** Declarations inside these are locals and parameters. */
const CALLABLE: ReadonlySet<string> = new Set(['function', 'method', 'constructor', 'operator']);
const IMPORT = /^\s*(?:import\b|from\s+\S+\s+import\b|use\s|using\s|require\b|#\s*include\b)/;

/** What a file declares, as a tree. */
export async function outline(context: CodeContext, request: OutlineRequest): Promise<Outline> {
  const { servers, scope, signal } = context;
  const { path } = scope.locate(request.file);
  const ask = (instance: ServerInstance): Promise<Outline> => {
    requireCapability(instance, 'documentSymbolProvider', 'list symbols');
    return instance.withDocuments({ scope, paths: [path], signal }, async ([document]) => {
      if (document === undefined) return { file: path, symbols: [], truncated: false };
      const all = await freshSymbols(instance, document, signal);
      return describe(context, document, all, request);
    });
  };
  try {
    return await concealErrors(context, servers.ask(scope, path, ask, context));
  } catch (error) {
    const { source, notes } = await parserInstead(context, path, error);
    const { text, symbols } = await parsedSymbols(context, source, path);
    return { ...describe(context, { path, text }, symbols, request), from: 'syntax', notes };
  }
}

function describe(
  { scope }: CodeContext,
  { path: file, text }: Pick<OpenDocument, 'path' | 'text'>,
  all: readonly SymbolNode[],
  { depth: wanted, body = false }: OutlineRequest,
): Outline {
  const lines = text.split(/\r\n|\n|\r/);
  const symbols = wanted === undefined ? withoutDetails(all, lines) : all;
  const depth = Math.min(affordableDepth(symbols), wanted ?? Number.POSITIVE_INFINITY);
  const conceal = (name: string): string =>
    concealPaths(scope, name, { file, sources: [text], maxChars: MAX_NAME_CHARS });
  let room = body ? MAX_BODY_CHARS : 0;
  const draw = (symbol: SymbolNode, left: number): OutlineSymbol => {
    const children = left > 1 ? symbol.children.map((child) => draw(child, left - 1)) : [];
    const source = room > 0 && children.length === 0 ? sourceOf(lines, symbol) : undefined;
    room -= source?.length ?? 0;
    return {
      name: conceal(symbol.name),
      kind: symbol.kind,
      line: symbol.selection.start.line + 1,
      endLine: symbol.range.end.line + 1,
      ...(source !== undefined && room >= 0 && { source }),
      ...(children.length > 0 && { children }),
    };
  };
  return {
    file,
    symbols: symbols.slice(0, MAX_SYMBOLS).map((symbol) => draw(symbol, depth)),
    truncated:
      room < 0 ||
      symbols.length > MAX_SYMBOLS ||
      countAt(symbols, wanted ?? Number.POSITIVE_INFINITY) > countAt(symbols, depth),
  };
}

function sourceOf(lines: readonly string[], { range }: SymbolNode): string {
  const { lead, end } = extentOf(lines, range);
  return lines.slice(lead, end + 1).join('\n');
}

/** Without parameters, locals and imports, which say nothing of what a file offers. Pure. */
function withoutDetails(
  symbols: readonly SymbolNode[],
  lines: readonly string[],
  parent?: SymbolNode,
): readonly SymbolNode[] {
  const isLocal = parent !== undefined && CALLABLE.has(parent.kind);
  return symbols
    .filter(({ kind, range }) => {
      if (kind === 'type parameter' || (isLocal && isValue(kind))) return false;
      return !(parent === undefined && IMPORT.test(lines[range.start.line] ?? '') && kind !== 'function');
    })
    .map((symbol) => Object.assign({}, symbol, { children: withoutDetails(symbol.children, lines, symbol) }));
}

/** The deepest level at which the whole tree still fits. Pure. */
function affordableDepth(symbols: readonly SymbolNode[]): number {
  let depth = 1;
  while (countAt(symbols, depth + 1) > countAt(symbols, depth) && countAt(symbols, depth + 1) <= MAX_SYMBOLS)
    depth += 1;
  return depth;
}

function countAt(symbols: readonly SymbolNode[], depth: number): number {
  if (depth === 0) return 0;
  return symbols.reduce((sum, { children }) => sum + 1 + countAt(children, depth - 1), 0);
}
