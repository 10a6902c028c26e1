import { RootwardLspError } from '../../error.js';
import type { OpenDocument } from '../../documents/documents.js';
import { findWord, nearestFirst, type Place } from '../../documents/find-word.js';
import type { ServerInstance } from '../../pool/server-instance.js';
import type { CodeContext } from '../../pool/code-context.js';
import { containersOf, type Spot } from './definition-targets.js';
import { documentSymbols, placed, type SymbolNode } from './document-symbols.js';
import { inheritedMember } from './inherited-member.js';
import { isIn, readSymbol, type SymbolName } from './symbol-name.js';

/** A symbol as a caller names it. Lines are counted from 1. */
export interface SymbolRequest {
  /** A name, or one with what it is in: `Cart.total`. */
  readonly symbol: string;
  readonly file: string;
  readonly line?: number | undefined;
}

/** Places worth asking about: where one gives no answer, the next one may. */
const MAX_PLACES = 8;

/**
 * Where a named symbol stands, best guess first: in the file that was named, or where what it is in inherits it from.
 * Callers get positions wrong, so none is asked for: a line is a hint, the declaration comes before uses, and whole
 * words in code come before those in comments. What a symbol is in must be true.
 */
export async function locateSymbol(
  context: CodeContext,
  instance: ServerInstance,
  document: OpenDocument,
  { symbol, file, line }: SymbolRequest,
): Promise<readonly Spot[]> {
  const { signal } = context;
  const wanted = readSymbol(symbol);
  const { name, containers } = wanted;
  const code = instance.facts.codeOf(document);
  const words = distinct([...findWord(code, name), ...findWord(document.text, name)]);
  const here = (places: readonly Place[]): readonly Spot[] =>
    places.slice(0, MAX_PLACES).map((place) => ({ document, place }));
  if (line !== undefined && words.length > 0) return here(nearestFirst(words, line - 1));
  const symbols = await documentSymbols(instance, document, signal);
  // In some languages the name of a symbol says what it is in: `function Cart.total()`.
  const declared = [
    ...declarations(symbols, wanted),
    ...declarations(symbols, { name: symbol, containers: [] }),
  ];
  const together = findWord(code, symbol).map((place) => atLast(place, symbol, name));
  if (containers.length === 0 || declared.length > 0 || together.length > 0) {
    const places = distinct([...declared, ...together, ...(containers.length === 0 ? words : [])]);
    if (places.length > 0) return here(places);
  }
  const inherited = await inheritedMember(context, instance, document, symbols, wanted);
  if (inherited !== undefined) return [inherited];
  const uses = findWord(code, name);
  if (uses.length === 0) throw notThere(symbol, file);
  return here(await usesOf(context, instance, document, { symbol, wanted, symbols, uses }));
}

interface Uses {
  readonly symbol: string;
  readonly wanted: SymbolName;
  readonly symbols: readonly SymbolNode[];
  readonly uses: readonly Place[];
}

/** Of the places where a file says `total` those that mean `Cart.total`; throws where they mean something else. */
async function usesOf(
  context: CodeContext,
  instance: ServerInstance,
  document: OpenDocument,
  { symbol, wanted, symbols, uses }: Uses,
): Promise<readonly Place[]> {
  const others = new Set(
    [...placed(symbols)].flatMap(({ name, containers }) =>
      name === wanted.name ? containers.slice(-1) : [],
    ),
  );
  const meant: Place[] = [];
  for (const place of uses.slice(0, MAX_PLACES)) {
    const found = await containersOf(context, instance, { document, place });
    // If the server does not say what it is in, it may be the one that is meant.
    if (found === undefined ? others.size === 0 : isIn(found, wanted.containers)) meant.push(place);
    else for (const other of (found ?? []).slice(-1)) others.add(other);
  }
  if (meant.length > 0) return meant;
  const [other] = others;
  const where = other === undefined ? 'at the top of a file' : `in "${other}"`;
  throw new RootwardLspError(
    'symbol-not-found',
    `Cannot find "${symbol}": the "${wanted.name}" in this file is ${where}`,
    {
      instruction: `Ask for "${other === undefined ? '' : `${other}.`}${wanted.name}" if that is meant, or name the file of "${symbol}"`,
    },
  );
}

function notThere(symbol: string, file: string): RootwardLspError {
  return new RootwardLspError(
    'symbol-not-found',
    `Cannot find "${symbol}" in "${file}": the word is not there`,
    { instruction: 'Call find_symbol to learn which file has it' },
  );
}

/** Of `Cart.total` the place of `total`. */
function atLast({ line, character }: Place, symbol: string, name: string): Place {
  return { line, character: character + symbol.lastIndexOf(name) };
}

/** Where symbols of that name, in what was named around it, are declared. Pure. */
function declarations(symbols: readonly SymbolNode[], wanted: SymbolName): readonly Place[] {
  return [...placed(symbols)]
    .filter(({ symbol, name, containers }) => {
      const isNamed = name === wanted.name || symbol.name === wanted.name;
      return isNamed && isIn(containers, wanted.containers);
    })
    .map(({ symbol }) => symbol.selection.start);
}

function distinct(places: readonly Place[]): readonly Place[] {
  const seen = new Map(places.map((place) => [`${place.line}:${place.character}`, place]));
  return [...seen.values()];
}
