import { basename, dirname, extname, join, relative, sep } from 'node:path';
import { RootwardError } from '@rootward/core';
import { RootwardLspError } from '../error.js';
import { filesMentioning } from '../documents/files-mentioning.js';
import { sourceFiles } from '../documents/source-files.js';
import type { CodeContext } from '../pool/code-context.js';
import type { ServerInstance } from '../pool/server-instance.js';
import { languageIdOf } from '../servers/definition.js';
import { languageName } from '../servers/script-name.js';
import { brokenImports } from './broken-imports.js';
import { checkFile, type FoundDiagnostic } from './diagnostics.js';
import { documentSymbols } from './symbols/document-symbols.js';
import { serverName } from './symbols/symbol-name.js';

/** What a change brought with it. */
export interface NewProblems<Result> {
  readonly result: Result;
  /** Files with problems that were not there before. */
  readonly files: readonly { readonly file: string; readonly diagnostics: readonly FoundDiagnostic[] }[];
  /** Files that no server has said anything about in time, and why. */
  readonly notes: readonly string[];
}

/** How long to wait for what servers say, before the change and after it. */
const MAX_WAIT_MS = 2_000;
/** A rename may change hundreds of files. */
const MAX_CHANGED = 10;
/** Other files that may break: those that mention what changed. */
const MAX_OTHERS = 100;
/** Names of a file by which others may use it. */
const MAX_NAMES = 20;
/** Files that stand for the folder they are in. */
const FOLDER_FILES = /^(?:index|__init__|mod|main|lib)$/;

/**
 * Makes a change, and says which problems are new: errors and warnings that were not there before, wherever they have
 * moved to. Compared are the changed files, and others of the same servers that mention their names or what they
 * declare. The change is made, whatever language servers do. A path may be a folder, and need not exist before or after.
 */
export async function newProblems<Result>(
  context: CodeContext,
  paths: readonly string[],
  change: () => Promise<Result>,
): Promise<NewProblems<Result>> {
  const changed = await filesIn(context, paths);
  const files = changed.slice(0, MAX_CHANGED);
  const others = await filesThatMayBreak(context, paths, changed);
  const before = await problemsOf(context, files, others.files);
  const result = await change();
  const came = (await filesIn(context, paths)).filter((file) => !changed.includes(file));
  const heard = [...before.found.keys()].filter((file) => !files.includes(file));
  const after = await problemsOf(context, files, [...came.slice(0, MAX_CHANGED), ...heard]);
  const notes = new Set([...before.notes, ...after.notes]);
  if (changed.length > files.length)
    notes.add(`problems of the first ${files.length} changed files only were compared`);
  const compared = others.files.filter((file) => before.found.has(file) && after.found.has(file)).length;
  if (compared < others.files.length || others.cut) {
    const all = others.cut ? `more than ${others.files.length}` : String(others.files.length);
    notes.add(
      `${compared} of ${all} other files that mention what changed were compared, within ${MAX_WAIT_MS / 1000} s`,
    );
  }
  const news = [...files, ...came, ...others.files].flatMap((file) => {
    const found = after.found.get(file);
    const known = before.found.get(formerOf(file, paths, before.found));
    const diagnostics = found === undefined || known === undefined ? [] : added(known, found);
    return diagnostics.length === 0 ? [] : [{ file, diagnostics }];
  });
  return { result, files: news, notes: [...notes] };
}

/** Where a file was before, which may have come with a folder that was moved. */
function formerOf(
  file: string,
  paths: readonly string[],
  known: ReadonlyMap<string, readonly FoundDiagnostic[]>,
): string {
  if (known.has(file)) return file;
  for (const to of paths) {
    const inner = relative(to, file);
    if (inner.startsWith(`..${sep}`)) continue;
    for (const from of paths) if (known.has(join(from, inner))) return join(from, inner);
  }
  return file;
}

/** The files that paths stand for: a folder stands for the source files in it. */
async function filesIn(
  { servers, scope, signal }: CodeContext,
  paths: readonly string[],
): Promise<readonly string[]> {
  const files: string[] = [];
  for (const path of paths) {
    const kind = await scope.stat(path).then(
      (stats) => stats.kind,
      () => undefined,
    );
    if (kind !== 'directory') {
      files.push(path);
      continue;
    }
    const roots = [{ ...scope.locate(path).root, path, broad: false }];
    const wanted = (file: string): boolean | Promise<boolean> => servers.isKnown(scope, file);
    for await (const { path: file } of sourceFiles(scope, { roots, wanted, signal })) {
      if (files.length >= MAX_OTHERS) break;
      files.push(file);
    }
  }
  return files;
}

interface MayBreak {
  readonly files: readonly string[];
  /** There are more. */
  readonly cut: boolean;
}

/** Files of the same servers that mention a changed file, its folder where it stands for that, or what it declares. */
async function filesThatMayBreak(
  context: CodeContext,
  paths: readonly string[],
  changed: readonly string[],
): Promise<MayBreak> {
  const { servers, scope, signal } = context;
  const known = servers.words;
  const found = new Set<string>();
  let cut = false;
  const own = new Set(changed);
  for (const file of changed.slice(0, MAX_CHANGED)) {
    const definition = await servers
      .definitionFor(await languageName(scope, file).catch(() => file))
      .catch(() => undefined);
    if (definition === undefined) continue;
    const names = new Set([...paths, file].flatMap(namesOf));
    for (const name of await declaredNames(context, file)) if (names.size < MAX_NAMES) names.add(name);
    const wanted = async (path: string): Promise<boolean> =>
      !own.has(path) && languageIdOf(definition, await languageName(scope, path)) !== undefined;
    const { root } = scope.locate(file);
    const word = [...names];
    const options = { roots: [root], wanted, word, whole: true, known, limit: MAX_OTHERS, signal };
    const mentions = await filesMentioning(scope, options);
    for (const path of mentions.files) found.add(path);
    cut ||= mentions.cut;
  }
  const files = [...found].slice(0, MAX_OTHERS);
  return { files, cut: cut || files.length < found.size };
}

/** The words by which others name a file or folder. */
function namesOf(path: string): readonly string[] {
  const stem = basename(path, extname(path));
  const name = FOLDER_FILES.test(stem) ? basename(dirname(path)) : stem;
  return name === '' ? [] : [name, basename(path)];
}

/** What a file declares for others; nothing where no server says so in time. */
async function declaredNames(context: CodeContext, file: string): Promise<readonly string[]> {
  const { servers, scope } = context;
  const signal = within(context.signal);
  const ask = (instance: ServerInstance): Promise<readonly string[]> =>
    instance.withDocuments({ scope, paths: [file], signal }, async ([document]) => {
      const symbols = document === undefined ? [] : await documentSymbols(instance, document, signal);
      return symbols.flatMap(({ name, children }) =>
        [name, ...children.map((child) => child.name)].map((each) => serverName(each).name),
      );
    });
  try {
    return await servers.ask(scope, file, ask, { signal });
  } catch {
    context.signal?.throwIfAborted();
    return [];
  }
}

function within(signal: AbortSignal | undefined): AbortSignal {
  const limit = AbortSignal.timeout(MAX_WAIT_MS);
  return signal === undefined ? limit : AbortSignal.any([signal, limit]);
}

interface Problems {
  readonly found: ReadonlyMap<string, readonly FoundDiagnostic[]>;
  readonly notes: readonly string[];
}

/** Problems of the changed files, and of others as long as there is time. */
async function problemsOf(
  context: CodeContext,
  files: readonly string[],
  others: readonly string[],
): Promise<Problems> {
  const signal = within(context.signal);
  const found = new Map<string, readonly FoundDiagnostic[]>();
  const notes = new Set<string>();
  for (const file of [...files, ...others]) {
    const isOther = !files.includes(file);
    if (isOther && signal.aborted) break;
    try {
      const { diagnostics, isHeard, complete, notes: its } = await checkFile({ ...context, signal }, file);
      if (isHeard) found.set(file, await withImports(context, file, diagnostics));
      if (isOther) continue;
      if (isHeard && !complete) for (const note of its) notes.add(note);
      if (!isHeard) notes.add(`the language server says nothing of "${file}" yet`);
    } catch (error) {
      context.signal?.throwIfAborted();
      // A file that is about to be written, or that has gone, has no problems.
      if (error instanceof RootwardError && error.code === 'not-found') found.set(file, []);
      else if (isOther) continue;
      else if (signal.aborted)
        notes.add(`the language server said nothing of "${file}" within ${MAX_WAIT_MS / 1000} s`);
      else if (error instanceof RootwardLspError) notes.add(error.message);
      else throw error;
    }
  }
  return { found, notes: [...notes] };
}

/** Adds imports that lead nowhere, unless the server says something of their lines. */
async function withImports(
  { scope, signal }: CodeContext,
  file: string,
  diagnostics: readonly FoundDiagnostic[],
): Promise<readonly FoundDiagnostic[]> {
  const { text } = await scope.readText(file, signal === undefined ? {} : { signal });
  const lines = new Set(diagnostics.map(({ line }) => line));
  return [...diagnostics, ...brokenImports(scope, file, text).filter(({ line }) => !lines.has(line))];
}

/** What there is more of than before. Lines move, so they do not count. Pure. */
function added(
  before: readonly FoundDiagnostic[],
  after: readonly FoundDiagnostic[],
): readonly FoundDiagnostic[] {
  const left = new Map<string, number>();
  for (const each of before) left.set(keyOf(each), (left.get(keyOf(each)) ?? 0) + 1);
  return after.filter((each) => {
    if (each.severity !== 'error' && each.severity !== 'warning') return false;
    const count = left.get(keyOf(each)) ?? 0;
    left.set(keyOf(each), count - 1);
    return count <= 0;
  });
}

function keyOf({ severity, message, code }: FoundDiagnostic): string {
  return `${severity} ${code ?? ''} ${message}`;
}
