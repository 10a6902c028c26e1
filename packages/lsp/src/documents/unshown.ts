import { RootwardError, type ErrorCode } from '@rootward/core';

/** A file that a server is not shown, and why. */
export interface Unshown {
  readonly path: string;
  /** In a few words. */
  readonly reason: string;
}

const REASONS: Partial<Record<ErrorCode, string>> = {
  'too-large': 'too large',
  'not-text': 'not UTF-8 text',
  'not-permitted': 'not readable',
};
/** Files named; the others are counted. */
const MAX_NAMED = 5;

/** Why a file that was there a moment ago cannot be shown; undefined when it went away, which leaves nothing out. */
export function unshownBecause(path: string, error: unknown): Unshown | undefined {
  const code = error instanceof RootwardError ? error.code : undefined;
  if (code === 'not-found') return undefined;
  return { path, reason: (code !== undefined && REASONS[code]) || 'it cannot be opened' };
}

/** Notes about files that were not shown. A file that is in the answer was found by the server itself. */
export function describeUnshown(
  server: string,
  unshown: readonly Unshown[],
  answer: readonly { readonly file: string }[] = [],
): readonly string[] {
  const known = new Set(answer.map(({ file }) => file));
  const unknown = unshown.filter(({ path }) => !known.has(path));
  if (unknown.length === 0) return [];
  const reasons = new Map(unknown.map(({ path, reason }) => [path, reason]));
  return [
    `${server} was not shown ${nameFiles([...reasons.keys()], (path) => ` (${reasons.get(path) ?? ''})`)}`,
  ];
}

/** Some files by name and the others by number. */
export function nameFiles(
  paths: readonly string[],
  remark: (path: string) => string = () => '',
  max: number = MAX_NAMED,
): string {
  const named = paths.slice(0, max).map((path) => `"${path}"${remark(path)}`);
  const more = paths.length > named.length ? ` and ${paths.length - named.length} more` : '';
  return named.join(', ') + more;
}
