import type { DocumentSymbol, Range, SymbolInformation } from 'vscode-languageserver-protocol';
import { findWord } from '../../documents/find-word.js';
import type { OpenDocument } from '../../documents/documents.js';
import type { ServerInstance } from '../../pool/server-instance.js';

/** A symbol of one file, whichever form the server speaks in. */
export interface SymbolNode {
  readonly name: string;
  readonly kind: string;
  /** All of it. */
  readonly range: Range;
  /** Its name. */
  readonly selection: Range;
  readonly children: readonly SymbolNode[];
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

export async function documentSymbols(
  instance: ServerInstance,
  document: OpenDocument,
  signal?: AbortSignal,
): Promise<readonly SymbolNode[]> {
  if (!instance.capabilities.documentSymbolProvider) return [];
  const params = { textDocument: { uri: document.uri } };
  const answer = await instance.request('textDocument/documentSymbol', params, signal);
  return (answer ?? []).map((symbol) => toNode(symbol, document.text));
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
  return { name, kind: kindName(kind), range, selection: nameRange(text, name, range), children: [] };
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

/** Each symbol with the names of those around it, outermost first. */
export function* withContainers(
  symbols: readonly SymbolNode[],
  containers: readonly string[] = [],
): Generator<{ readonly symbol: SymbolNode; readonly containers: readonly string[] }> {
  for (const symbol of symbols) {
    yield { symbol, containers };
    yield* withContainers(symbol.children, [...containers, symbol.name]);
  }
}

/** Some servers write `save(int)` where the name is `save`. */
export function plainName(name: string): string {
  return name.replace(/[(<].*$/s, '').trim() || name;
}

export function kindName(kind: number): string {
  return KINDS[kind - 1] ?? 'symbol';
}
