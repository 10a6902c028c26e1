import type { Location } from 'vscode-languageserver-protocol';
import { RootwardLspError } from '../error.js';
import type { OpenDocument } from '../documents/documents.js';
import { concealErrors } from '../filter/conceal-errors.js';
import { LocationFilter } from '../filter/location-filter.js';
import type { CodeContext } from '../pool/code-context.js';
import type { ServerInstance } from '../pool/server-instance.js';
import { everyUse } from './asking/every-use.js';
import { requireCapability } from './asking/require-capability.js';
import { changedMeanwhile } from './edits/apply-edits.js';
import { editedLines, withLines, type SymbolAction } from './edits/replace-symbol.js';
import { firstAnswered, withLocations } from './references.js';
import type { Spot } from './symbols/definition-targets.js';
import { documentSymbols, placed, type PlacedSymbol } from './symbols/document-symbols.js';
import type { SymbolRequest } from './symbols/locate-symbol.js';
import { extentOf, type Extent } from './symbols/symbol-extent.js';
import { isIn, readSymbol } from './symbols/symbol-name.js';

/** A declaration and what to do with it. */
export interface EditSymbolRequest extends SymbolRequest {
  readonly action: SymbolAction;
  /** What to put there; not for `delete`. */
  readonly text?: string | undefined;
  /** Calls `write`, once nothing else changes this file; for hosts that change files themselves. */
  readonly exclusively?: (path: string, write: () => Promise<void>) => Promise<void>;
}

/** What `editSymbol` did. */
export interface EditSymbolResult {
  readonly file: string;
  /** Of the declaration, or of what was put there; counted from 1. */
  readonly line: number;
  /** The whole text of the file, without a byte order mark. */
  readonly before: string;
  readonly after: string;
}

/** Uses named in a refusal. */
const MAX_NAMED = 10;

/**
 * Replaces a declaration, puts something before or after it, or deletes it where nothing uses it any more. Decorators
 * and the comment right above belong to it. Refused when the file changed since the server read it.
 */
export async function editSymbol(
  context: CodeContext,
  request: EditSymbolRequest,
): Promise<EditSymbolResult> {
  const { servers, scope } = context;
  const { action, text = '' } = request;
  if (action !== 'delete' && text.trim() === '') {
    throw new RootwardLspError('invalid-option', `Cannot ${action.replace('_', ' ')}: the text is empty`, {
      instruction: 'Pass the code as text; to take a symbol out, use the action delete',
    });
  }
  const { path, writable } = scope.locate(request.file, 'change');
  if (!writable) throw new RootwardLspError('edit-refused', `Cannot edit "${path}": it may not be written`);
  const ask = (instance: ServerInstance): Promise<EditSymbolResult> => edit(context, instance, request);
  return servers.ask(scope, path, ask, { ...context, thorough: action === 'delete' });
}

async function edit(
  context: CodeContext,
  instance: ServerInstance,
  request: EditSymbolRequest,
): Promise<EditSymbolResult> {
  const { scope, signal } = context;
  const { action, text = '' } = request;
  const { path } = scope.locate(request.file);
  requireCapability(instance, 'documentSymbolProvider', 'find declarations');
  const answer = instance.withDocuments(
    { scope, paths: [path], signal, thorough: true },
    async ([document]) => {
      if (document === undefined) throw new RootwardLspError('symbol-not-found', 'Cannot open the file');
      const declared = await declaration(context, instance, document, request);
      const lines = document.text.split(/\r\n|\n|\r/);
      const extent = extentOf(lines, declared.symbol.range);
      if (!extent.isAlone) throw notAlone(request.symbol, extent);
      if (action === 'delete') {
        const question = { symbol: request.symbol, file: request.file, line: request.line };
        await requireUnused(context, instance, document, question, extent);
      }
      const after = withLines(document.text, lines, editedLines(lines, extent, action, text));
      const { exclusively = (_path, write) => write() } = request;
      await exclusively(path, () => writeUnchanged(context, document, after));
      const line = action === 'insert_after' ? extent.end + 2 : extent.lead + 1;
      return { file: path, line, before: document.text, after };
    },
  );
  return concealErrors(context, answer);
}

/** Refused where the file is no longer what the server read. */
async function writeUnchanged(
  { scope, signal }: CodeContext,
  document: OpenDocument,
  after: string,
): Promise<void> {
  const options = signal === undefined ? {} : { signal };
  const { text, bom, version } = await scope.readText(document.path, options);
  if (text !== document.text) throw changedMeanwhile(document.path);
  await scope.write(document.path, bom ? `\uFEFF${after}` : after, { ...options, expected: version });
}

/** The one declaration in the file that is meant; a line tells several of the same name apart. */
async function declaration(
  { signal }: CodeContext,
  instance: ServerInstance,
  document: OpenDocument,
  { symbol, file, line }: EditSymbolRequest,
): Promise<PlacedSymbol> {
  const wanted = readSymbol(symbol);
  const all = [...placed(await documentSymbols(instance, document, signal))].filter(
    (each) =>
      (each.name === wanted.name && isIn(each.containers, wanted.containers)) || each.symbol.name === symbol,
  );
  const outermost = Math.min(...all.map(({ containers }) => containers.length));
  const named =
    wanted.containers.length > 0 ? all : all.filter((each) => each.containers.length === outermost);
  const found = line === undefined ? named : nearest(all, line - 1);
  const [first, second] = found;
  if (first === undefined) {
    throw new RootwardLspError('symbol-not-found', `Cannot find "${symbol}": "${file}" does not declare it`, {
      instruction: 'Call outline to see what the file declares, or find_symbol to learn which file has it',
    });
  }
  if (second === undefined) return first;
  const places = found.map(({ symbol: each }) => each.selection.start.line + 1).join(', ');
  throw new RootwardLspError('invalid-option', `Cannot tell which "${symbol}" is meant: lines ${places}`, {
    instruction: 'Pass the line of the one that is meant, or name what it is in',
  });
}

function nearest(all: readonly PlacedSymbol[], line: number): readonly PlacedSymbol[] {
  const distance = ({ symbol }: PlacedSymbol): number => Math.abs(symbol.selection.start.line - line);
  return all.toSorted((a, b) => distance(a) - distance(b)).slice(0, 1);
}

function notAlone(symbol: string, { start }: Extent): RootwardLspError {
  return new RootwardLspError(
    'edit-refused',
    `Cannot edit "${symbol}": something else stands on its lines (line ${start + 1})`,
    { instruction: 'Use edit_file for this one' },
  );
}

/** Refuses to delete what something outside the declaration uses, or may use. */
async function requireUnused(
  context: CodeContext,
  instance: ServerInstance,
  document: OpenDocument,
  { symbol, file, line }: SymbolRequest,
  { lead, end }: Extent,
): Promise<void> {
  requireCapability(instance, 'referencesProvider', 'find what uses it');
  const question = {
    request: { symbol, file, line },
    ask: (spots: readonly Spot[]) => firstAnswered(instance, spots, context.signal),
    placesIn: (locations: readonly Location[]) => locations,
    withUses: withLocations,
  };
  await everyUse(context, instance, question, async ({ value, complete, notes }) => {
    const filter = new LocationFilter(context.scope);
    const uses = value.flatMap(({ uri, range: { start } }) => {
      const at = filter.admit(uri);
      const isOwn = at === document.path && start.line >= lead && start.line <= end;
      return isOwn ? [] : [`${at ?? 'outside the roots'}:${start.line + 1}`];
    });
    if (uses.length > 0) {
      const more = uses.length > MAX_NAMED ? ` and ${uses.length - MAX_NAMED} more` : '';
      throw new RootwardLspError(
        'edit-refused',
        `Cannot delete "${symbol}": it is used at ${uses.slice(0, MAX_NAMED).join(', ')}${more}`,
        { instruction: 'Change these uses first' },
      );
    }
    if (complete) return;
    throw new RootwardLspError(
      'edit-refused',
      `Cannot delete "${symbol}": ${notes[0] ?? 'the server may not have seen every file yet'}`,
      { instruction: 'Look at these files, and use edit_file if nothing uses it' },
    );
  });
}
