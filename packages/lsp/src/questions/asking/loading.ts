import { nameFiles } from '../../documents/unshown.js';
import type { ServerInstance } from '../../pool/server-instance.js';

/** The note on an answer that a server gave before it had read all its files. */
export function loadingNotes({
  definition,
  readiness,
}: Pick<ServerInstance, 'definition' | 'readiness'>): readonly string[] {
  if (readiness.hasFailed)
    return [`${definition.name} could not load its workspace, and may know only a part`];
  if (!readiness.isLoading) return [];
  return [`${definition.name} is still reading its files: ask again in a moment for more`];
}

/** The note on an answer about files that no compilation database lists. */
export function guessNotes(
  { definition, index }: Pick<ServerInstance, 'definition' | 'index'>,
  files: readonly string[],
): readonly string[] {
  if (definition.indexed === undefined) return [];
  const guessed = files.filter((file) => index?.isGuessed(file) ?? true);
  if (guessed.length === 0) return [];
  return [
    `${definition.name} guesses how ${nameFiles(guessed)} are compiled: no compile_commands.json lists them`,
  ];
}
