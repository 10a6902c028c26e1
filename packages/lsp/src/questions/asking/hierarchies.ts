import type { Range } from 'vscode-languageserver-protocol';
import type { Place } from '../../documents/find-word.js';
import type { CodeContext } from '../../pool/code-context.js';
import type { ServerInstance } from '../../pool/server-instance.js';
import { toTargets, type Spot } from '../symbols/definition-targets.js';
import { kindName } from '../symbols/document-symbols.js';
import { serverName } from '../symbols/symbol-name.js';

/** A symbol before it is checked by the scope. */
export interface Found {
  readonly uri: string;
  readonly place: Place;
  readonly name?: string;
  readonly kind?: string;
  readonly at?: readonly number[];
}

/** Where the server says that a symbol is implemented or its type defined. */
export async function targets(
  { signal }: CodeContext,
  instance: ServerInstance,
  method: 'textDocument/implementation' | 'textDocument/typeDefinition',
  spots: readonly Spot[],
): Promise<readonly Found[]> {
  for (const { document, place } of spots) {
    const params = { textDocument: { uri: document.uri }, position: place };
    const found = toTargets(await instance.request(method, params, signal));
    if (found.length > 0) return found.map(({ uri, selection }) => ({ uri, place: selection.start }));
  }
  return [];
}

/** What calls a symbol or is called by it, as the server says. */
export async function calls(
  { signal }: CodeContext,
  instance: ServerInstance,
  spots: readonly Spot[],
  way: 'incoming' | 'outgoing',
): Promise<readonly Found[]> {
  for (const { document, place } of spots) {
    const params = { textDocument: { uri: document.uri }, position: place };
    const items = await instance.request('textDocument/prepareCallHierarchy', params, signal);
    const found: Found[] = [];
    for (const item of items ?? []) {
      if (way === 'incoming') {
        const incoming = await instance.request('callHierarchy/incomingCalls', { item }, signal);
        for (const { from, fromRanges } of incoming ?? []) found.push(fromItem(from, linesOf(fromRanges)));
      } else {
        const outgoing = await instance.request('callHierarchy/outgoingCalls', { item }, signal);
        for (const { to } of outgoing ?? []) found.push(fromItem(to));
      }
    }
    if (items !== null && items.length > 0) return found;
  }
  return [];
}

/** What a type extends or is extended by, as the server says. */
export async function hierarchy(
  { signal }: CodeContext,
  instance: ServerInstance,
  spots: readonly Spot[],
  way: 'supertypes' | 'subtypes',
): Promise<readonly Found[]> {
  for (const { document, place } of spots) {
    const params = { textDocument: { uri: document.uri }, position: place };
    const items = await instance.request('textDocument/prepareTypeHierarchy', params, signal);
    const found: Found[] = [];
    for (const item of items ?? []) {
      const related = (await instance.request(`typeHierarchy/${way}`, { item }, signal)) ?? [];
      found.push(...related.map((each) => fromItem(each)));
    }
    if (items !== null && items.length > 0) return found;
  }
  return [];
}

interface Item {
  readonly name: string;
  readonly kind: number;
  readonly uri: string;
  readonly selectionRange: Range;
}

function fromItem({ name, kind, uri, selectionRange }: Item, at?: readonly number[]): Found {
  // A module may be named by its path.
  const plain = serverName(name).name.split(/[\\/]/).at(-1) ?? name;
  const found = { uri, place: selectionRange.start, name: plain, kind: kindName(kind) };
  return at === undefined ? found : { ...found, at };
}

function linesOf(ranges: readonly Range[]): readonly number[] {
  return [...new Set(ranges.map(({ start }) => start.line + 1))];
}
