import { RootwardError } from '@rootward/core';
import { RootwardLspError } from '../error.js';
import type { CodeContext } from '../pool/code-context.js';
import { checkFile, type FoundDiagnostic } from './diagnostics.js';

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
const MAX_FILES = 10;

/**
 * Makes a change, and says which problems of the files it is about are new: errors and warnings that were not there
 * before, wherever they have moved to. The change is made, whatever language servers do.
 */
export async function newProblems<Result>(
  context: CodeContext,
  paths: readonly string[],
  change: () => Promise<Result>,
): Promise<NewProblems<Result>> {
  const files = paths.slice(0, MAX_FILES);
  const before = await problemsOf(context, files);
  const result = await change();
  const after = await problemsOf(context, files);
  const notes = new Set([...before.notes, ...after.notes]);
  if (paths.length > files.length)
    notes.add(`problems of the first ${files.length} files only were compared`);
  const news = files.flatMap((file) => {
    const found = after.found.get(file);
    const known = before.found.get(file);
    const diagnostics = found === undefined || known === undefined ? [] : added(known, found);
    return diagnostics.length === 0 ? [] : [{ file, diagnostics }];
  });
  return { result, files: news, notes: [...notes] };
}

interface Problems {
  readonly found: ReadonlyMap<string, readonly FoundDiagnostic[]>;
  readonly notes: readonly string[];
}

async function problemsOf(context: CodeContext, files: readonly string[]): Promise<Problems> {
  const limit = AbortSignal.timeout(MAX_WAIT_MS);
  const signal = context.signal === undefined ? limit : AbortSignal.any([context.signal, limit]);
  const found = new Map<string, readonly FoundDiagnostic[]>();
  const notes = new Set<string>();
  for (const file of files) {
    try {
      const { diagnostics, isHeard, complete, notes: its } = await checkFile({ ...context, signal }, file);
      if (isHeard) found.set(file, diagnostics);
      if (isHeard && !complete) for (const note of its) notes.add(note);
      if (!isHeard) notes.add(`the language server says nothing of "${file}" yet`);
    } catch (error) {
      context.signal?.throwIfAborted();
      if (limit.aborted)
        notes.add(`the language server said nothing of "${file}" within ${MAX_WAIT_MS / 1000} s`);
      else if (error instanceof RootwardLspError) notes.add(error.message);
      // A file that is about to be written has no problems yet.
      else if (error instanceof RootwardError && error.code === 'not-found') found.set(file, []);
      else throw error;
    }
  }
  return { found, notes: [...notes] };
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
