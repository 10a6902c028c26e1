import type { OpenDocument } from '../../documents/documents.js';
import type { Place } from '../../documents/find-word.js';
import type { ServerInstance } from '../../pool/server-instance.js';
import { covers, declaredAt, documentSymbols } from '../symbols/document-symbols.js';

/**
 * Of some places those that define something with a body, in a language that links names across files: there a server
 * takes all definitions of a name for one symbol, although each program of a folder may have its own. Empty for others.
 */
export async function definingFiles(
  instance: ServerInstance,
  places: ReadonlyMap<OpenDocument, readonly Place[]>,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  const { body } = instance.definition;
  if (body === undefined) return [];
  const files: string[] = [];
  for (const [document, its] of places) {
    const lines = document.text.split(/\r\n|\n|\r/);
    const withBody = its.filter(({ line }) => body.test(lines.slice(line).join('\n')));
    if (withBody.length === 0) continue;
    const symbols = await documentSymbols(instance, document, signal);
    const isDefined = withBody.some((place) => {
      const declared = declaredAt(symbols, place);
      return declared !== undefined && covers(declared.symbol.selection, place);
    });
    if (isDefined) files.push(document.path);
  }
  return files.toSorted();
}
