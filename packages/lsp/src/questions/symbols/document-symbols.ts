import type { DocumentSymbol, Range, SymbolInformation } from 'vscode-languageserver-protocol';
import { findWord, type Place } from '../../documents/find-word.js';
import type { OpenDocument } from '../../documents/documents.js';
import type { ServerInstance } from '../../pool/server-instance.js';
import { serverName, type SymbolName } from './symbol-name.js';

/** A symbol of one file, whichever form the server speaks in. */
export interface SymbolNode {
  readonly name: string;
  readonly kind: string;
  /** All of it. */
  readonly range: Range;
  /** Its name. */
  readonly selection: Range;
  readonly children: readonly SymbolNode[];
  /** What it is in, where the server gives no tree. */
  readonly container?: string;
}

/** A symbol of a tree with its plain name, and the plain names of what it is in, outermost first. */
export interface PlacedSymbol extends SymbolName {
  readonly symbol: SymbolNode;
}

/** By the numbers of the protocol, which start at 1. */
const KINDS = [
  'file',
  'module',
  'namespace',
  'package',
  'class',
  'method',
  'property',
  'field',
  'constructor',
  'enum',
  'interface',
  'function',
  'variable',
  'constant',
  'string',
  'number',
  'boolean',
  'array',
  'object',
  'key',
  'null',
  'enum member',
  'struct',
  'event',
  'operator',
  'type parameter',
] as const;

/** What a local or a parameter is, unlike a function or a class inside another one. */
const VALUES: ReadonlySet<string> = new Set([
  'variable',
  'constant',
  'property',
  'field',
  'string',
  'number',
  'boolean',
  'array',
  'object',
  'null',
  'key',
  'type parameter',
]);

/** Whether a symbol of this kind may be a local or a parameter. */
export function isValue(kind: string): boolean {
  return VALUES.has(kind);
}

/** The symbols of a document, asked for once as long as its text is the same. */
export async function documentSymbols(
  instance: ServerInstance,
  document: OpenDocument,
  signal?: AbortSignal,
): Promise<readonly SymbolNode[]> {
  const known = instance.facts.symbols.get(document);
  if (known !== undefined) return known.map((symbol) => toNode(symbol, document.text));
  return freshSymbols(instance, document, signal);
}

/** The same, asked for now. */
export async function freshSymbols(
  instance: ServerInstance,
  document: OpenDocument,
  signal?: AbortSignal,
): Promise<readonly SymbolNode[]> {
  if (!instance.capabilities.documentSymbolProvider) return [];
  const params = { textDocument: { uri: document.uri } };
  let answer = (await instance.request('textDocument/documentSymbol', params, signal)) ?? [];
  // bash-language-server finds nothing in a document before it is ready.
  if (answer.length === 0 && instance.readiness.isLoading && (await instance.settle(signal))) {
    answer = (await instance.request('textDocument/documentSymbol', params, signal)) ?? [];
  }
  if (answer.length > 0) instance.facts.symbols.set(document, answer);
  return answer.map((symbol) => toNode(symbol, document.text));
}

function toNode(symbol: DocumentSymbol | SymbolInformation, text: string): SymbolNode {
  const { name, kind } = symbol;
  if (!('location' in symbol)) {
    return {
      name,
      kind: kindName(kind),
      range: symbol.range,
      selection: symbol.selectionRange,
      children: (symbol.children ?? []).map((child) => toNode(child, text)),
    };
  }
  const { range } = symbol.location;
  const { containerName: container } = symbol;
  const selection = nameRange(text, name, range);
  return { name, kind: kindName(kind), range, selection, children: [], ...(container && { container }) };
}

/** The older form of the protocol does not say where the name is. */
function nameRange(text: string, name: string, range: Range): Range {
  const place = findWord(text, name).find(
    ({ line, character }) =>
      (line > range.start.line || (line === range.start.line && character >= range.start.character)) &&
      line <= range.end.line,
  );
  if (place === undefined) return range;
  return { start: place, end: { line: place.line, character: place.character + name.length } };
}

/** Each symbol of a tree, those around it first. */
export function* placed(
  symbols: readonly SymbolNode[],
  around: readonly string[] = [],
): Generator<PlacedSymbol> {
  for (const symbol of symbols) {
    const own = serverName(symbol.name);
    const outer = symbol.container === undefined ? around : [serverName(symbol.container).name];
    const containers = [...outer, ...own.containers];
    yield { symbol, name: own.name, containers };
    yield* placed(symbol.children, [...containers, own.name]);
  }
}

/** The innermost symbol around a place. */
export function enclosing(symbols: readonly SymbolNode[], place: Place): PlacedSymbol | undefined {
  let found: PlacedSymbol | undefined;
  for (const each of placed(symbols)) {
    const isSmaller = found === undefined || covers(found.symbol.range, each.symbol.range.start);
    if (covers(each.symbol.range, place) && isSmaller) found = each;
  }
  return found;
}

/** The symbol whose name stands at a place, or on its line where servers mean the start of the declaration. */
export function declaredAt(symbols: readonly SymbolNode[], place: Place): PlacedSymbol | undefined {
  const all = [...placed(symbols)];
  return (
    all.find(({ symbol }) => covers(symbol.selection, place)) ??
    all.find(
      ({ symbol: { selection, range } }) =>
        selection.start.line === place.line && range.start.line === place.line,
    )
  );
}

export function covers({ start, end }: Range, { line, character }: Place): boolean {
  const isAfterStart = line > start.line || (line === start.line && character >= start.character);
  return isAfterStart && (line < end.line || (line === end.line && character <= end.character));
}

export function kindName(kind: number): string {
  return KINDS[kind - 1] ?? 'symbol';
}
