import { concealErrors } from '../filter/conceal-errors.js';
import { concealPaths, MAX_NAME_CHARS } from '../filter/conceal-paths.js';
import type { CodeContext } from './asking/context.js';
import type { SymbolNode } from './symbols/document-symbols.js';
import { documentSymbols } from './symbols/document-symbols.js';
import { requireCapability } from './asking/require-capability.js';

/** A declaration in a file, with those inside it. */
export interface OutlineSymbol {
  readonly name: string;
  readonly kind: string;
  /** Lines are counted from 1. */
  readonly line: number;
  readonly endLine: number;
  readonly children?: readonly OutlineSymbol[];
}

/** What `outline` returns. */
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
  const instance = await servers.forFile(scope, path, signal);
  requireCapability(instance, 'documentSymbolProvider', 'list symbols');
  const answer = instance.withDocuments({ scope, paths: [path], signal }, async ([document]) => {
    const symbols = document === undefined ? [] : await documentSymbols(instance, document, signal);
    const sources = document === undefined ? [] : [document.text];
    const conceal = (name: string): string =>
      concealPaths(scope, name, { file: path, sources, maxChars: MAX_NAME_CHARS });
    const depth = affordableDepth(symbols);
    return {
      file: path,
      symbols: symbols.slice(0, MAX_SYMBOLS).map((symbol) => shorten(symbol, depth, conceal)),
      truncated: countAt(symbols, Number.POSITIVE_INFINITY) > Math.min(countAt(symbols, depth), MAX_SYMBOLS),
    };
  });
  return concealErrors(context, answer);
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

function shorten(symbol: SymbolNode, depth: number, conceal: (name: string) => string): OutlineSymbol {
  const children = depth > 1 ? symbol.children.map((child) => shorten(child, depth - 1, conceal)) : [];
  return {
    name: conceal(symbol.name),
    kind: symbol.kind,
    line: symbol.selection.start.line + 1,
    endLine: symbol.range.end.line + 1,
    ...(children.length > 0 && { children }),
  };
}
