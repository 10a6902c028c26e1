import { setTimeout } from 'node:timers/promises';
import { hostPathStyle, readFileUri } from '@rootward/core';
import { RootwardLspError } from '../error.js';
import type { OpenDocument } from '../documents/documents.js';
import type { ServerInstance } from '../pool/server-instance.js';
import type { Recovery } from './edits/apply-edits.js';
import { applyEdits, recoverEdits } from './edits/apply-edits.js';
import type { EditJournal } from './edits/edit-journal.js';
import type { FileEdits } from './edits/read-workspace-edit.js';
import { readWorkspaceEdit } from './edits/read-workspace-edit.js';
import { describeUnshown } from '../documents/unshown.js';
import type { Place } from '../documents/find-word.js';
import type { Answer } from './asking/complete-answer.js';
import { completeAnswer } from './asking/complete-answer.js';
import type { CodeContext } from './asking/context.js';
import { definitionTargets } from './symbols/definition-targets.js';
import { documentSymbols } from './symbols/document-symbols.js';
import { LocationFilter } from '../filter/location-filter.js';
import type { SymbolRequest } from './symbols/locate-symbol.js';
import { locateSymbol } from './symbols/locate-symbol.js';
import { markedFiles } from './edits/marked-files.js';
import { otherOwner } from './symbols/other-owner.js';
import { planEdits } from './edits/plan-edits.js';
import type { RenamedFile } from './edits/renamed-files.js';
import { describeFiles } from './edits/renamed-files.js';
import { requireCapability } from './asking/require-capability.js';
import { requireName } from './edits/require-name.js';
import type { Seen } from './asking/show-files.js';
import { withUses } from './asking/show-files.js';

/** A symbol and its new name. */
export interface RenameRequest extends SymbolRequest {
  readonly newName: string;
  /** Without it nothing is written. */
  readonly apply?: boolean | undefined;
  /** Calls `write`, once nothing else changes these files; for hosts that change files themselves. */
  readonly exclusively?: (paths: readonly string[], write: () => Promise<void>) => Promise<void>;
}

/** What `renameSymbol` did, or would do. */
export interface RenameResult {
  readonly applied: boolean;
  readonly edits: number;
  readonly files: readonly RenamedFile[];
  /** False when the server may not have seen every file. Nothing is applied then. */
  readonly complete: boolean;
  /** Files that may use it and could not be shown to the server, and how many lines are not shown here. */
  readonly notes: readonly string[];
  /** Edits of an earlier process that were cut off and have been undone. */
  readonly recovered: readonly Recovery[];
}

/** The times of files are taken from a clock of the system that ticks every ten milliseconds at worst. */
const TWO_TICKS_MS = 20;

/**
 * Renames a symbol in all roots, or shows what would change. Refused as a whole when any edit falls outside the roots,
 * in a read-only one or on a protected file.
 */
export async function renameSymbol(
  context: CodeContext,
  request: RenameRequest,
  journal: EditJournal,
): Promise<RenameResult> {
  const { servers, scope, signal } = context;
  requireName(request.newName, request.symbol);
  const recovered = await recoverEdits(scope, journal);
  const { path } = scope.locate(request.file);
  const instance = await servers.forFile(scope, path, signal);
  requireCapability(instance, 'renameProvider', 'rename');
  const { symbol } = request;
  const askedAt = Date.now();
  // Whatever is saved after the server has looked is then younger by its time than this moment.
  await setTimeout(TWO_TICKS_MS, undefined, signal === undefined ? {} : { signal });
  return withUses(context, instance, { path, symbol }, async (document, seen) => {
    const answer = await askForAll(context, instance, document, request);
    const planned = await planEdits(context, answer.value, symbol, askedAt);
    const { files, unlisted } = describeFiles(planned);
    const notes = describeUnshown(instance.definition.name, seen.unshown, files);
    const complete = answer.complete && seen.all && notes.length === 0;
    if (request.apply === true && !complete) throw halfSeen(seen, notes);
    if (request.apply === true) {
      const { exclusively = (_paths, write) => write() } = request;
      await exclusively(
        planned.map((file) => file.path),
        () => applyEdits(scope, planned, journal, signal),
      );
    }
    return {
      applied: request.apply === true,
      edits: planned.reduce((sum, { edits }) => sum + edits, 0),
      files,
      complete,
      notes: [...notes, ...unlisted],
      recovered,
    };
  });
}

function halfSeen({ cut }: Seen, [note]: readonly string[]): RootwardLspError {
  if (note !== undefined) {
    return new RootwardLspError('edit-refused', `Cannot rename: ${note}, and half a rename breaks code`, {
      instruction:
        'List such a file in .gitignore if it is generated, or change the uses that search_content finds',
    });
  }
  return cut
    ? new RootwardLspError(
        'edit-refused',
        'Cannot rename: not every file that may use it can be shown to the server, and half a rename breaks code',
        {
          instruction:
            'Open the folder of the project as the only root, or find the uses with search_content',
        },
      )
    : new RootwardLspError(
        'edit-refused',
        'Cannot rename: the server may not have seen every file yet, and half a rename breaks code',
        { instruction: 'Try again in a moment' },
      );
}

/** The edits in terms of the files without byte order marks, as they are read here. */
async function askForAll(
  context: CodeContext,
  instance: ServerInstance,
  document: OpenDocument,
  request: RenameRequest,
): Promise<Answer<readonly FileEdits[]>> {
  const { scope, signal } = context;
  const once = (): Promise<Answer<readonly FileEdits[]>> =>
    completeAnswer(context, instance, () => ask(context, instance, document, request));
  const answer = await once();
  const paths = await markedFiles(context, instance, answer.value);
  return paths.length === 0 ? answer : instance.withDocuments({ scope, paths, signal }, once);
}

async function ask(
  context: CodeContext,
  instance: ServerInstance,
  document: OpenDocument,
  request: RenameRequest,
): Promise<readonly FileEdits[]> {
  const { signal } = context;
  const places = await locateSymbol(instance, document, request, signal);
  let refusal: RootwardLspError | undefined;
  for (const position of places) {
    const params = { textDocument: { uri: document.uri }, position, newName: request.newName };
    try {
      const edit = await instance.request('textDocument/rename', params, signal);
      const files = edit === null ? [] : readWorkspaceEdit(edit);
      const foreign = await foreignDefinition(context, instance, document, position);
      if (files.some(({ edits }) => edits.length > 0)) {
        if (foreign !== undefined) throw foreign;
        await refuseOther(context, instance, document, request, position, files);
        return files;
      }
      refusal ??= foreign;
    } catch (error) {
      if (!(error instanceof RootwardLspError) || error.code !== 'server-error') throw error;
      refusal = error;
    }
  }
  if (refusal !== undefined) throw refusal;
  throw new RootwardLspError(
    'symbol-not-found',
    `Cannot rename "${request.symbol}": the server sees nothing to rename in "${request.file}"`,
  );
}

/** Where the file does not say `Cart.total`, any `total` in it is a guess, and may be that of something else. */
async function refuseOther(
  { signal }: CodeContext,
  instance: ServerInstance,
  document: OpenDocument,
  { symbol, line }: RenameRequest,
  position: Place,
  files: readonly FileEdits[],
): Promise<void> {
  const [owner, name] = symbol
    .split(/::|[.#]/)
    .filter(Boolean)
    .slice(-2);
  if (owner === undefined || name === undefined || line !== undefined) return;
  const before = document.text.split(/\r\n|\n|\r/)[position.line]?.slice(0, position.character) ?? '';
  if (before.endsWith(symbol.slice(0, symbol.lastIndexOf(name)))) return;
  const edits = files.filter(({ uri }) => pathOf(uri) === document.path).flatMap((file) => file.edits);
  const other = otherOwner(await documentSymbols(instance, document, signal), edits, owner);
  if (other === undefined) return;
  throw new RootwardLspError(
    'edit-refused',
    `Cannot rename "${symbol}": the "${name}" in this file is in "${other}", so nothing is changed`,
    { instruction: `Ask for "${other}.${name}" if that is meant, or name the file of "${symbol}"` },
  );
}

function pathOf(uri: string): string | undefined {
  const reading = readFileUri(uri, hostPathStyle);
  return reading.ok ? reading.path : undefined;
}

/** A server may rename the uses it may touch and leave a definition elsewhere as it is, which breaks code. */
async function foreignDefinition(
  { scope, signal }: CodeContext,
  instance: ServerInstance,
  document: OpenDocument,
  position: Place,
): Promise<RootwardLspError | undefined> {
  if (!instance.capabilities.definitionProvider) return undefined;
  const filter = new LocationFilter(scope);
  for (const { uri } of await definitionTargets(instance, document, position, signal)) filter.admit(uri);
  if (filter.outside === 0) return undefined;
  return new RootwardLspError(
    'edit-refused',
    'Cannot rename: the symbol is defined outside the roots, so nothing is changed',
  );
}
