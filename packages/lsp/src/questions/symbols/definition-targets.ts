import type { Location, LocationLink, Range } from 'vscode-languageserver-protocol';
import type { OpenDocument } from '../../documents/documents.js';
import type { Place } from '../../documents/find-word.js';
import { LocationFilter } from '../../filter/location-filter.js';
import type { ServerInstance } from '../../pool/server-instance.js';
import type { CodeContext } from '../../pool/code-context.js';
import { declaredAt, documentSymbols } from './document-symbols.js';

/** A place in an open document. */
export interface Spot {
  readonly document: OpenDocument;
  readonly place: Place;
}

export interface Target {
  readonly uri: string;
  /** All of the declaration, where the server says so. */
  readonly range: Range | undefined;
  readonly selection: Range;
}

/** Where a server says that what stands at a place is defined, in or out of scope. */
export async function definitionTargets(
  instance: ServerInstance,
  document: OpenDocument,
  position: Place,
  signal: AbortSignal | undefined,
): Promise<readonly Target[]> {
  const params = { textDocument: { uri: document.uri }, position };
  return toTargets(await instance.request('textDocument/definition', params, signal));
}

export function toTargets(answer: Location | readonly (Location | LocationLink)[] | null): readonly Target[] {
  if (answer === null) return [];
  const all = 'uri' in answer ? [answer] : answer;
  return all.map((item) =>
    'targetUri' in item
      ? { uri: item.targetUri, range: item.targetRange, selection: item.targetSelectionRange }
      : { uri: item.uri, range: undefined, selection: item.range },
  );
}

/** What the symbol at a place is in, by its definition; undefined where nobody says. */
export async function containersOf(
  { scope, signal }: CodeContext,
  instance: ServerInstance,
  { document, place }: Spot,
): Promise<readonly string[] | undefined> {
  if (!instance.capabilities.definitionProvider) return undefined;
  const filter = new LocationFilter(scope);
  for (const { uri, selection } of await definitionTargets(instance, document, place, signal)) {
    const file = filter.admit(uri);
    if (file === undefined) continue;
    const request = { scope, paths: [], further: [file], signal };
    const found = await instance.withDocuments(request, async ([target]) =>
      target === undefined
        ? undefined
        : declaredAt(await documentSymbols(instance, target, signal), selection.start),
    );
    if (found !== undefined) return found.containers;
  }
  return undefined;
}
