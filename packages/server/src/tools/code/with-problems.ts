import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Scope } from '@rootward/core';
import type { ToolContext } from '../framework/tool-context.js';
import type { Session } from '../../languages/language-support.js';
import { canonicalPath } from '../framework/change-queue.js';
import { withNotes } from '../framework/results.js';
import { shortPath } from './describe-code.js';

/**
 * Makes a change, and adds to its answer the problems that are new in these files, where the call or the operator wants
 * it. Paths are as they were asked for; the change itself refuses one that is out of scope.
 */
export async function withProblems(
  context: ToolContext,
  paths: readonly string[],
  wanted: boolean | undefined,
  change: () => Promise<CallToolResult>,
): Promise<CallToolResult> {
  if (!(wanted ?? context.diagnostics)) return change();
  return context.languages.use(context, async (session) => {
    const files = paths.flatMap((path) => canonicalPath(session.code.scope, path) ?? []);
    if (wanted === undefined && !(await isServed(session, files))) return change();
    const { result, problems } = await compareProblems(session, files, change);
    return withNotes(result, problems);
  });
}

/** Whether there is a server for any of the files: what nobody asked for is not worth a word otherwise. */
async function isServed({ code }: Session, paths: readonly string[]): Promise<boolean> {
  const served = paths.map(async (path) => {
    const name = await code.servers.nameFor(code.scope, path).catch(() => undefined);
    return name !== undefined;
  });
  return (await Promise.all(served)).includes(true);
}

/** The places of paths that lie in the roots. What a link leads to outside of them has no problems to compare. */
export function placesOf(scope: Scope, ...paths: readonly string[]): readonly string[] {
  return paths.flatMap((path) => {
    try {
      return [scope.locate(path).path];
    } catch {
      return [];
    }
  });
}

/** Makes a change, and says in lines which problems are new. */
export async function compareProblems<Result>(
  { library, code }: Session,
  paths: readonly string[],
  change: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly problems: readonly string[] }> {
  let made: { readonly result: Result } | undefined;
  const make = async (): Promise<Result> => (made = { result: await change() }).result;
  const { result, files, notes } = await library.newProblems(code, paths, make).catch((error: unknown) => {
    if (made === undefined) throw error;
    return { ...made, files: [], notes: [error instanceof Error ? error.message : String(error)] };
  });
  const lines = files.flatMap(({ file, diagnostics }) =>
    diagnostics.map(
      ({ line, column, severity, message }) =>
        `${shortPath(code.scope, file)}:${line}:${column}: ${severity}: ${message}`,
    ),
  );
  const isUnknown = lines.length === 0 && notes.length > 0;
  const head = lines.length > 0 ? 'New problems:' : isUnknown ? 'New problems: unknown' : 'No new problems';
  return { result, problems: [head, ...lines, ...notes.map((note) => `[${note}]`)] };
}
