import { containsPath, hostPathStyle } from '@rootward/core';
import { RootwardLspError } from '../../error.js';
import { filesMentioning } from '../../documents/files-mentioning.js';
import type { CodeContext } from '../../pool/code-context.js';
import type { KnownFolders } from '../../pool/project-folder.js';
import type { ServerInstance } from '../../pool/server-instance.js';
import { languageIdOf } from '../../servers/definition.js';
import { languageName } from '../../servers/script-name.js';
import type { Target } from '../symbols/definition-targets.js';
import { explainOccurrences, Occurrences, type NamedPlace, type Unexplained } from './occurrences.js';

/** Other folders in which a server is asked for one question; the others are named. */
const MAX_FOLDERS = 4;
/** Files there that mention a name. */
const MAX_FILES = 100;
/** No further folder is asked about after this long: a server may have to start first. */
const ASKING_MS = 15_000;

/** A name, and where it is defined. */
export interface DefinedName {
  readonly word: string;
  readonly own: readonly Target[];
  /** What the server of the symbol itself has answered. */
  readonly places: readonly NamedPlace[];
}

/** Uses of a symbol in folders that a server does not know. */
export interface OtherUses {
  readonly uses: readonly NamedPlace[];
  readonly unexplained: readonly Unexplained[];
  /** Folders that mention the name and were not asked about, and why. */
  readonly notes: readonly string[];
}

/**
 * Asks about the uses of a symbol in the other roots, for a server that knows one folder only. Where a file there
 * mentions the name, the server of that folder is asked what it means.
 */
export async function usesInOtherFolders(
  context: CodeContext,
  instance: ServerInstance,
  name: DefinedName,
): Promise<OtherUses> {
  const uses: NamedPlace[] = [];
  const unexplained: Unexplained[] = [];
  const notes: string[] = [];
  if (instance.kind !== 'per-root' || instance.folders.length === 0) return { uses, unexplained, notes };
  const { servers } = context;
  const deadline = servers.clock.now() + ASKING_MS;
  let asked = 0;
  for (const [folder, files] of await filesElsewhere(context, instance, name.word)) {
    const mentions = `${files.length} ${files.length === 1 ? 'file' : 'files'} there mention "${name.word}"`;
    if (servers.limits.maxServers < 2 || asked >= MAX_FOLDERS || servers.clock.now() >= deadline) {
      notes.push(`"${folder}" was not asked about: ${mentions}`);
      continue;
    }
    asked += 1;
    try {
      const found = await explainIn(context, files, name, deadline);
      uses.push(...found.uses);
      unexplained.push(...found.unexplained);
    } catch (error) {
      context.signal?.throwIfAborted();
      const because = error instanceof RootwardLspError ? error.message : 'its server did not answer in time';
      notes.push(`"${folder}" was not asked about: ${mentions} (${because})`);
    }
  }
  return { uses, unexplained, notes };
}

/** The files outside of a server's folder that mention a name, by their own folder. */
async function filesElsewhere(
  { servers, scope, signal }: CodeContext,
  { definition, folders }: ServerInstance,
  word: string,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const isOurs = (path: string): boolean =>
    folders.some((folder) => containsPath(folder.path, path, hostPathStyle));
  const wanted = async (path: string): Promise<boolean> =>
    !isOurs(path) && languageIdOf(definition, await languageName(scope, path)) !== undefined;
  const known = servers.words;
  const roots = scope.roots.filter(({ path }) => !isOurs(path));
  const options = { roots, wanted, word, whole: true, known, limit: MAX_FILES, signal };
  const { files } = await filesMentioning(scope, options);
  const knownFolders: KnownFolders = new Map();
  const byFolder = new Map<string, string[]>();
  for (const file of files) {
    const folder = servers.folderOf(definition, scope, file, knownFolders) ?? file;
    byFolder.set(folder, [...(byFolder.get(folder) ?? []), file]);
  }
  return byFolder;
}

async function explainIn(
  context: CodeContext,
  files: readonly string[],
  name: DefinedName,
  deadline: number,
): Promise<Pick<OtherUses, 'uses' | 'unexplained'>> {
  const { servers, scope } = context;
  const [first = ''] = files;
  const limit = AbortSignal.timeout(Math.max(1, Math.ceil(deadline - servers.clock.now())));
  const signal = context.signal === undefined ? limit : AbortSignal.any([context.signal, limit]);
  const limited = { ...context, signal };
  const ask = (other: ServerInstance): Promise<Pick<OtherUses, 'uses' | 'unexplained'>> =>
    other.withDocuments({ scope, paths: [first], signal, thorough: true }, async () => {
      await other.settle(signal);
      const left = await new Occurrences(limited, other, name.word).beside([], files);
      return explainOccurrences(limited, other, { ...name, left });
    });
  return servers.ask(scope, first, ask, { signal });
}
