import type { Range, TextEdit } from 'vscode-languageserver-protocol';
import type { SymbolNode } from './document-symbols.js';
import { plainName, withContainers } from './document-symbols.js';

/**
 * Of a member that was asked for as `Cart.total`: what it is in where edits change the `total` of something else only.
 * Undefined where nothing says so, as for a symbol that is declared in another file. Pure.
 */
export function otherOwner(
  symbols: readonly SymbolNode[],
  edits: readonly TextEdit[],
  owner: string,
): string | undefined {
  const isChanged = ({ selection }: SymbolNode): boolean =>
    edits.some(({ range }) => overlap(range, selection));
  const changed = [...withContainers(symbols)].filter(({ symbol }) => isChanged(symbol));
  // Servers write `impl Cart`, `shop::Cart` and `(*Cart).total`; callers name a variable after its type.
  const isOwn = (name: string): boolean => words(name).includes(owner.toLowerCase());
  if (changed.some(({ symbol, containers }) => [symbol.name, ...containers].some(isOwn))) return undefined;
  const container = changed.find(({ containers }) => containers.length > 0)?.containers.at(-1);
  return container === undefined ? undefined : plainName(container);
}

function words(name: string): readonly string[] {
  return name.toLowerCase().split(/[^\p{L}\p{N}_$]+/u);
}

function overlap(one: Range, other: Range): boolean {
  return isBefore(one.start, other.end) && isBefore(other.start, one.end);
}

function isBefore(one: Range['start'], other: Range['start']): boolean {
  return one.line < other.line || (one.line === other.line && one.character < other.character);
}
