import { setTimeout } from 'node:timers/promises';
import type { Range, TextEdit } from 'vscode-languageserver-protocol';
import { RootwardLspError } from '../error.js';
import { filesMentioning } from '../documents/files-mentioning.js';
import { nameFiles } from '../documents/unshown.js';
import { LocationFilter } from '../filter/location-filter.js';
import type { ServerInstance } from '../pool/server-instance.js';
import type { CodeContext } from '../pool/code-context.js';
import { languageIdOf } from '../servers/definition.js';
import { languageName } from '../servers/script-name.js';
import { everyUse, type Uses } from './asking/every-use.js';
import { requireCapability } from './asking/require-capability.js';
import { rootsToSearch } from './asking/show-files.js';
import { applyEdits, recoverEdits, type Recovery } from './edits/apply-edits.js';
import type { EditJournal } from './edits/edit-journal.js';
import { markedFiles } from './edits/marked-files.js';
import { planEdits } from './edits/plan-edits.js';
import { readWorkspaceEdit, type FileEdits } from './edits/read-workspace-edit.js';
import { describeFiles, type RenamedFile } from './edits/renamed-files.js';
import { requireName } from './edits/require-name.js';
import { firstAnswered } from './references.js';
import { definitionTargets, type Spot } from './symbols/definition-targets.js';
import type { SymbolRequest } from './symbols/locate-symbol.js';
import { readSymbol } from './symbols/symbol-name.js';

/** A symbol and its new name. */
export interface RenameRequest extends SymbolRequest {
  readonly newName: string;
  /** Without it nothing is written. */
  readonly apply?: boolean | undefined;
  /** Also apply where files that mention the symbol are left as they are. */
  readonly allowPartial?: boolean | undefined;
  /** Calls `write`, once nothing else changes these files; for hosts that change files themselves. */
  readonly exclusively?: (paths: readonly string[], write: () => Promise<void>) => Promise<void>;
}

/** What `renameSymbol` did, or would do. */
export interface RenameResult {
  readonly applied: boolean;
  readonly edits: number;
  readonly files: readonly RenamedFile[];
  /** False when the server may not have seen every file. Nothing is applied then, unless a part is enough. */
  readonly complete: boolean;
  /** Files that may use it and stay as they are, and how many lines are not shown here. */
  readonly notes: readonly string[];
  /** Edits of an earlier process that were cut off and have been undone. */
  readonly recovered: readonly Recovery[];
}

/** Files of other kinds that are named or counted. */
const MAX_ELSEWHERE = 100;
/** The times of files are taken from a clock of the system that ticks every ten milliseconds at worst. */
const TWO_TICKS_MS = 20;
/** What to do where a server does not rename; clangd does not in more than 50 files. */
const REFUSED = 'Nothing was changed. Call references for the places, and change them with edit_file';

/**
 * Renames a symbol in all roots, or shows what would change. Refused as a whole when any edit falls outside the roots,
 * in a read-only one or on a protected file.
 */
export async function renameSymbol(
  context: CodeContext,
  request: RenameRequest,
  journal: EditJournal,
): Promise<RenameResult> {
  const { servers, scope } = context;
  const recovered = await recoverEdits(scope, journal);
  scope.locate(request.file, request.apply === true ? 'change' : 'read');
  const renamed = async (instance: ServerInstance): Promise<RenameResult> => ({
    ...(await rename(context, instance, request, journal)),
    recovered,
  });
  return servers.ask(scope, request.file, renamed, { ...context, thorough: true });
}

async function rename(
  context: CodeContext,
  instance: ServerInstance,
  request: RenameRequest,
  journal: EditJournal,
): Promise<Omit<RenameResult, 'recovered'>> {
  const { scope, signal } = context;
  requireName(request.newName, request.symbol, await instance.languageOf(scope, request.file));
  requireCapability(instance, 'renameProvider', 'rename');
  const { symbol } = request;
  const askedAt = Date.now();
  // Whatever is saved after the server has looked is then younger by its time than this moment.
  await setTimeout(TWO_TICKS_MS, undefined, signal === undefined ? {} : { signal });
  const question = {
    request,
    ask: (spots: readonly Spot[]) => askUnmarked(context, instance, spots, request),
    placesIn: (files: readonly FileEdits[]) =>
      files.flatMap(({ uri, edits }) => edits.map(({ range }) => ({ uri, range }))),
  };
  return everyUse(context, instance, question, async (uses) => {
    const planned = await planEdits(context, uses.value, symbol, askedAt);
    const { files, unlisted } = describeFiles(planned);
    const missed = await missedUses(context, instance, uses, request);
    const complete = uses.complete && missed.length === 0;
    const notes = [...uses.notes, ...missed];
    if (request.apply === true && !complete && request.allowPartial !== true) throw halfSeen(uses, notes);
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
      notes: [...notes, ...(await elsewhere(context, instance, request)), ...unlisted],
    };
  });
}

/** Documents, templates and what code is generated from say the name as well, and nobody can tell what they mean. */
async function elsewhere(
  context: CodeContext,
  instance: ServerInstance,
  { symbol, file }: RenameRequest,
): Promise<readonly string[]> {
  const { scope, signal } = context;
  const { definition } = instance;
  const { name: word } = readSymbol(symbol);
  const { roots } = rootsToSearch(context, instance, scope.locate(file).path);
  const wanted = async (path: string): Promise<boolean> =>
    languageIdOf(definition, await languageName(scope, path)) === undefined;
  const options = { roots, wanted, word, whole: true, limit: MAX_ELSEWHERE, signal };
  const { files } = await filesMentioning(scope, options);
  return files.length === 0 ? [] : [`left as they are: ${nameFiles(files)}, which mention "${word}"`];
}

const ANYWAY = 'or pass allowPartial: true to rename the rest';

function halfSeen({ cut, definedIn }: Uses<unknown>, notes: readonly string[]): RootwardLspError {
  const note = notes.length === 0 ? undefined : notes.join('; ');
  if (definedIn.length > 1) {
    return new RootwardLspError(
      'edit-refused',
      `Cannot rename one of several: it is defined in ${nameFiles(definedIn)}, and the server would rename all of them`,
      {
        instruction:
          'Change the one that is meant with edit_file, or pass allowPartial: true to rename them all',
      },
    );
  }
  if (note !== undefined && !cut) {
    return new RootwardLspError('edit-refused', `Cannot rename: ${note}, and half a rename breaks code`, {
      instruction: `List such a file in .gitignore if it is generated, change the uses that search_content finds, ${ANYWAY}`,
    });
  }
  return cut
    ? new RootwardLspError(
        'edit-refused',
        'Cannot rename: not every file that may use it can be shown to the server, and half a rename breaks code',
        {
          instruction: `Open the folder of the project as the only root, find the uses with search_content, ${ANYWAY}`,
        },
      )
    : new RootwardLspError(
        'edit-refused',
        'Cannot rename: the server may not have seen every file yet, and half a rename breaks code',
        { instruction: 'Try again in a moment' },
      );
}

/** Uses in files that the server changes, that it lists under the same name, and that it would leave as they are. */
async function missedUses(
  context: CodeContext,
  instance: ServerInstance,
  { value, spots }: Uses<readonly FileEdits[]>,
  request: RenameRequest,
): Promise<readonly string[]> {
  const missed = (await usesBeside(context, instance, spots, request, value)).map(
    ({ file, range }) => `${file}:${range.start.line + 1}`,
  );
  if (missed.length === 0) return [];
  return [`${instance.definition.name} lists ${nameFiles(missed)} as uses and does not rename them`];
}

interface Use {
  readonly uri: string;
  readonly file: string;
  readonly range: Range;
}

/** Uses in scope, of the same name, on lines that no edit changes. */
async function usesBeside(
  { scope, signal }: CodeContext,
  instance: ServerInstance,
  spots: readonly Spot[],
  { symbol }: RenameRequest,
  files: readonly FileEdits[],
): Promise<readonly Use[]> {
  if (!instance.capabilities.referencesProvider) return [];
  const filter = new LocationFilter(scope);
  const { name } = readSymbol(symbol);
  const changed = new Set<string>();
  for (const { uri, edits } of files) {
    for (const { range } of edits) changed.add(`${filter.admit(uri) ?? ''}\n${range.start.line}`);
  }
  const uses: Use[] = [];
  for (const { uri, range } of await firstAnswered(instance, spots, signal)) {
    const file = filter.admit(uri);
    if (file === undefined || changed.has(`${file}\n${range.start.line}`)) continue;
    const { text } = await scope.readText(file, signal === undefined ? {} : { signal });
    const line = text.split(/\r\n|\n|\r/)[range.start.line] ?? '';
    const isNamed = line.slice(range.start.character, range.end.character) === name;
    if (isNamed && range.start.line === range.end.line) uses.push({ uri, file, range });
  }
  return uses;
}

/**
 * The edits of a server, and those it leaves out: one may list uses in files that its project does not include, and
 * rename none of them. Only files that it does not touch at all are added to.
 */
async function withForgotten(
  context: CodeContext,
  instance: ServerInstance,
  spot: Spot,
  request: RenameRequest,
  files: readonly FileEdits[],
): Promise<readonly FileEdits[]> {
  const filter = new LocationFilter(context.scope);
  const touched = new Set(files.map(({ uri }) => filter.admit(uri)));
  const forgotten = new Map<string, TextEdit[]>();
  for (const { uri, file, range } of await usesBeside(context, instance, [spot], request, files)) {
    if (touched.has(file)) continue;
    forgotten.set(uri, [...(forgotten.get(uri) ?? []), { range, newText: request.newName }]);
  }
  return [...files, ...[...forgotten].map(([uri, edits]) => ({ uri, edits }))];
}

/** The edits in terms of the files without byte order marks, as they are read here. */
async function askUnmarked(
  context: CodeContext,
  instance: ServerInstance,
  spots: readonly Spot[],
  request: RenameRequest,
): Promise<readonly FileEdits[]> {
  const { scope, signal } = context;
  const once = (): Promise<readonly FileEdits[]> => ask(context, instance, spots, request);
  const edits = await once();
  const paths = await markedFiles(context, instance, edits);
  return paths.length === 0 ? edits : instance.withDocuments({ scope, paths, signal }, once);
}

async function ask(
  context: CodeContext,
  instance: ServerInstance,
  spots: readonly Spot[],
  request: RenameRequest,
): Promise<readonly FileEdits[]> {
  const { signal } = context;
  const { symbol, file, newName } = request;
  let refusal: RootwardLspError | undefined;
  for (const spot of spots) {
    const params = { textDocument: { uri: spot.document.uri }, position: spot.place, newName };
    try {
      const edit = await instance.request('textDocument/rename', params, signal);
      const files = edit === null ? [] : readWorkspaceEdit(edit);
      const foreign = await foreignDefinition(context, instance, spot);
      if (files.some(({ edits }) => edits.length > 0)) {
        if (foreign !== undefined) throw foreign;
        return await withForgotten(context, instance, spot, request, files);
      }
      refusal ??= foreign;
    } catch (error) {
      if (!(error instanceof RootwardLspError) || error.code !== 'server-error') throw error;
      refusal = new RootwardLspError(error.code, error.message, { cause: error, instruction: REFUSED });
    }
  }
  if (refusal !== undefined) throw refusal;
  throw new RootwardLspError(
    'symbol-not-found',
    `Cannot rename "${symbol}": the server sees nothing to rename in "${file}"`,
  );
}

/** A server may rename the uses it may touch and leave a definition elsewhere as it is, which breaks code. */
async function foreignDefinition(
  { scope, signal }: CodeContext,
  instance: ServerInstance,
  { document, place }: Spot,
): Promise<RootwardLspError | undefined> {
  if (!instance.capabilities.definitionProvider) return undefined;
  const filter = new LocationFilter(scope);
  for (const { uri } of await definitionTargets(instance, document, place, signal)) filter.admit(uri);
  if (filter.outside === 0) return undefined;
  return new RootwardLspError(
    'edit-refused',
    'Cannot rename: the symbol is defined outside the roots, so nothing is changed',
  );
}
