import { concealPaths } from './conceal-paths.js';
import type { CodeContext } from './context.js';
import type { SymbolNode } from './document-symbols.js';
import { documentSymbols } from './document-symbols.js';
import { requireCapability } from './require-capability.js';

export interface OutlineSymbol {
  readonly name: string;
  readonly kind: string;
  /** Lines are counted from 1. */
  readonly line: number;
  readonly endLine: number;
  readonly children?: readonly OutlineSymbol[];
}

export interface Outline {
  readonly file: string;
  readonly symbols: readonly OutlineSymbol[];
  /** Symbols were left out, innermost first, to keep the answer short. */
  readonly truncated: boolean;
}

/** More helps nobody to get an overview. */
const MAX_SYMBOLS = 400;

/** What a file declares, as a tree. */
export async function outline(context: CodeContext, request: { readonly file: string }): Promise<Outline> {
  const { servers, scope, signal } = context;
  const { path } = scope.locate(request.file);
  const instance = await servers.forFile(scope, path);
  requireCapability(instance, 'documentSymbolProvider', 'list symbols');
  const symbols = await instance.withDocuments(scope, [path], signal, ([document]) =>
    document === undefined ? Promise.resolve([]) : documentSymbols(instance, document, signal),
  );
  const depth = affordableDepth(symbols);
  return {
    file: path,
    symbols: symbols.slice(0, MAX_SYMBOLS).map((symbol) => shorten(context, symbol, depth)),
    truncated: countAt(symbols, Number.POSITIVE_INFINITY) > Math.min(countAt(symbols, depth), MAX_SYMBOLS),
  };
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

function shorten(context: CodeContext, symbol: SymbolNode, depth: number): OutlineSymbol {
  const children = depth > 1 ? symbol.children.map((child) => shorten(context, child, depth - 1)) : [];
  return {
    name: concealPaths(context.scope, symbol.name),
    kind: symbol.kind,
    line: symbol.selection.start.line + 1,
    endLine: symbol.range.end.line + 1,
    ...(children.length > 0 && { children }),
  };
}
