import { codeOnly } from '../../documents/code-only.js';
import type { OpenDocument } from '../../documents/documents.js';
import { LocationFilter } from '../../filter/location-filter.js';
import type { CodeContext } from '../../pool/code-context.js';
import type { ServerInstance } from '../../pool/server-instance.js';
import type { Spot, Target } from '../symbols/definition-targets.js';
import { documentSymbols, placed } from '../symbols/document-symbols.js';
import { isStatic, mayDefine } from '../symbols/may-define.js';
import { filesServed, rootsToSearch, type Shown } from './show-files.js';

/** The language whose functions are linked by their name alone. */
const LINKED = 'c';

/**
 * Whether a function of another file is meant that is linked by its name: several files may define it, and the server
 * knows of one, which depends on what it was shown before.
 */
export async function mayHaveOthers(
  { scope, signal }: CodeContext,
  { definition }: ServerInstance,
  { document }: Spot,
  targets: readonly Target[],
  word: string,
): Promise<boolean> {
  if (definition.body === undefined || document.languageId !== LINKED) return false;
  const filter = new LocationFilter(scope);
  for (const { uri, selection } of targets) {
    const file = filter.admit(uri);
    if (file === undefined || file === document.path) continue;
    const { text } = await scope.readText(file, signal === undefined ? {} : { signal });
    const code = codeOnly(text, LINKED);
    const line = code.split(/\r\n|\n|\r/)[selection.start.line] ?? '';
    const isCalled = /^\s*\(/.test(line.slice(selection.start.character + word.length));
    if (isCalled && !/^\s*#/.test(line) && !isStatic(code, selection.start)) return true;
  }
  return false;
}

/** The files that look as if they define a name, beside one. Nothing is known of languages that are not linked. */
export async function filesThatMayDefine(
  context: CodeContext,
  instance: ServerInstance,
  path: string,
  word: string,
): Promise<Shown> {
  const { servers, scope } = context;
  if (instance.definition.body === undefined) return { files: [], cut: false, unshown: [] };
  const { roots, cut } = rootsToSearch(context, instance, path);
  const such = (text: string): boolean => mayDefine(codeOnly(text, LINKED), word);
  const key = [instance.definition.name, word, ...roots.map((root) => root.path)].join('\n');
  const defining = await servers.resting.get(key, () =>
    filesServed(context, instance, word, roots, { whole: true, such }),
  );
  const files = defining.files.filter((file) => file !== path && scope.contains(file));
  return { ...defining, files, cut: cut || defining.cut };
}

/** Each definition of a function that is linked by its name, nearest to a file first. */
export async function linkedDefinitions(
  instance: ServerInstance,
  documents: readonly OpenDocument[],
  { path, word }: { readonly path: string; readonly word: string },
  signal: AbortSignal | undefined,
): Promise<readonly Target[]> {
  const found: { readonly path: string; readonly target: Target }[] = [];
  for (const document of documents) {
    if (document.languageId !== LINKED) continue;
    const code = codeOnly(document.text, LINKED);
    const lines = code.split(/\r\n|\n|\r/);
    for (const { symbol, name, containers } of placed(await documentSymbols(instance, document, signal))) {
      const { selection, range, kind } = symbol;
      if (name !== word || kind !== 'function' || containers.length > 0) continue;
      const hasBody = mayDefine(lines.slice(selection.start.line, range.end.line + 1).join('\n'), word);
      if (!hasBody || isStatic(code, selection.start)) continue;
      found.push({ path: document.path, target: { uri: document.uri, selection, range } });
    }
  }
  return found
    .toSorted((a, b) => common(b.path, path) - common(a.path, path) || (a.path < b.path ? -1 : 1))
    .map(({ target }) => target);
}

/** How many folders two paths have in common. */
function common(a: string, b: string): number {
  const others = b.split(/[\\/]/);
  const differs = a.split(/[\\/]/).findIndex((part, index) => part !== others[index]);
  return differs < 0 ? others.length : differs;
}
