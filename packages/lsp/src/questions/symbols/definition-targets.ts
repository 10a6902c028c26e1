import type { Location, LocationLink, Range } from 'vscode-languageserver-protocol';
import type { OpenDocument } from '../../documents/documents.js';
import type { Place } from '../../documents/find-word.js';
import type { ServerInstance } from '../../pool/server-instance.js';

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

function toTargets(answer: Location | readonly (Location | LocationLink)[] | null): readonly Target[] {
  if (answer === null) return [];
  const all = 'uri' in answer ? [answer] : answer;
  return all.map((item) =>
    'targetUri' in item
      ? { uri: item.targetUri, range: item.targetRange, selection: item.targetSelectionRange }
      : { uri: item.uri, range: undefined, selection: item.range },
  );
}
