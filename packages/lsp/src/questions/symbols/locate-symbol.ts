import { RootwardLspError } from '../../error.js';
import type { OpenDocument } from '../../documents/documents.js';
import type { Place } from '../../documents/find-word.js';
import { findWord, nearestFirst } from '../../documents/find-word.js';
import type { ServerInstance } from '../../pool/server-instance.js';
import type { SymbolNode } from './document-symbols.js';
import { documentSymbols, plainName, withContainers } from './document-symbols.js';

/** A symbol as a caller names it. Lines are counted from 1. */
export interface SymbolRequest {
  /** A name, or one with what it is in: `Cart.total`. */
  readonly symbol: string;
  readonly file: string;
  readonly line?: number | undefined;
}

/** Places worth asking about: a comment or a text that holds the word gives no answer, and the next one may. */
const MAX_PLACES = 8;

/**
 * Where in a file a named symbol stands, best guess first. Callers get positions wrong, so none is asked for: a line
 * is a hint, the declaration comes before uses, and whole words count only.
 */
export async function locateSymbol(
  instance: ServerInstance,
  document: OpenDocument,
  { symbol, file, line }: SymbolRequest,
  signal?: AbortSignal,
): Promise<readonly Place[]> {
  const parts = symbol.split(/::|[.#]/).filter(Boolean);
  const name = parts.at(-1) ?? symbol;
  const together = findWord(document.text, symbol).map((place) => atLast(place, symbol, name));
  const places = distinct([...together, ...findWord(document.text, name)]);
  if (places.length === 0) {
    throw new RootwardLspError(
      'symbol-not-found',
      `Cannot find "${symbol}" in "${file}": the word is not there`,
      {
        instruction: 'Call find_symbol to learn which file has it',
      },
    );
  }
  if (line !== undefined) return nearestFirst(places, line - 1).slice(0, MAX_PLACES);
  const symbols = await documentSymbols(instance, document, signal);
  // In some languages the name of a symbol says what it is in: `function Cart.total()`.
  const declared = [...declarations(symbols, parts), ...declarations(symbols, [symbol])];
  return distinct([...declared, ...places]).slice(0, MAX_PLACES);
}

/** Of `Cart.total` the place of `total`. */
function atLast({ line, character }: Place, symbol: string, name: string): Place {
  return { line, character: character + symbol.lastIndexOf(name) };
}

/** Where symbols of that name, in what was named around it, are declared. Pure. */
function declarations(symbols: readonly SymbolNode[], parts: readonly string[]): readonly Place[] {
  const name = parts.at(-1);
  const around = parts.slice(0, -1);
  return [...withContainers(symbols)]
    .filter(({ symbol, containers }) => {
      if (plainName(symbol.name) !== name && symbol.name !== name) return false;
      const inner = containers.map(plainName).slice(containers.length - around.length);
      return inner.length === around.length && inner.every((container, index) => container === around[index]);
    })
    .map(({ symbol }) => symbol.selection.start);
}

function distinct(places: readonly Place[]): readonly Place[] {
  const seen = new Map(places.map((place) => [`${place.line}:${place.character}`, place]));
  return [...seen.values()];
}
