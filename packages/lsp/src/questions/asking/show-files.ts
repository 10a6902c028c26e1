import { basename } from 'node:path';
import { containsPath, hostPathStyle, type Root } from '@rootward/core';
import { projectFolder } from '../../pool/project-folder.js';
import { languageIdOf } from '../../servers/definition.js';
import { languageName } from '../../servers/script-name.js';
import { filesMentioning, type MentionsOptions } from '../../documents/files-mentioning.js';
import type { OpenDocument } from '../../documents/documents.js';
import type { Unshown } from '../../documents/unshown.js';
import type { ServerInstance } from '../../pool/server-instance.js';
import { readSymbol } from '../symbols/symbol-name.js';
import type { CodeContext } from '../../pool/code-context.js';

/** Files opened at once for one question: each costs a server that works in the background much time. */
const MAX_SHOWN = 60;
const MAX_SHOWN_IN_ORDER = 500;

export interface Shown {
  readonly files: readonly string[];
  /** Not every file that may matter could be shown. */
  readonly cut: boolean;
  /** Files that may matter and cannot be shown. */
  readonly unshown: readonly Unshown[];
}

/** What is known of a server before it runs. */
export type Server = Pick<ServerInstance, 'kind' | 'definition' | 'folders' | 'knowsFiles'>;

/**
 * The files a server has to be shown before it can answer about a word. One that knows its folders itself goes by the
 * names of files, so it has to be shown scripts without an ending.
 */
export async function filesToShow(
  context: CodeContext,
  instance: Server,
  word: string,
  roots: readonly Root[],
): Promise<Shown> {
  if (word === '') return { files: [], cut: false, unshown: [] };
  const isNamed = (path: string): boolean => languageIdOf(instance.definition, path) !== undefined;
  const skips = instance.knowsFiles ? isNamed : undefined;
  return filesServed(context, instance, word, roots, { skips });
}

interface ServedOptions extends Partial<Pick<MentionsOptions, 'whole' | 'limit'>> {
  /** Files that are not wanted. */
  readonly skips?: ((path: string) => boolean) | undefined;
}

/** The files with a word in them that a server is for. */
export async function filesServed(
  { servers, scope, signal }: CodeContext,
  { kind, definition, folders }: Server,
  word: string,
  roots: readonly Root[],
  { skips = () => false, ...options }: ServedOptions = {},
): Promise<Shown> {
  const isOurs = (path: string): boolean =>
    kind !== 'per-root' || folders.every((folder) => containsPath(folder.path, path, hostPathStyle));
  const wanted = (path: string): boolean | Promise<boolean> => {
    if (!isOurs(path) || skips(path)) return false;
    // Only the name of a script without an ending has to be waited for, which takes longer than the rest.
    if (basename(path).includes('.')) return languageIdOf(definition, path) !== undefined;
    return languageName(scope, path).then((name) => languageIdOf(definition, name) !== undefined);
  };
  const limit = definition.answersInOrder === true ? MAX_SHOWN_IN_ORDER : MAX_SHOWN;
  return filesMentioning(scope, { roots, wanted, word, limit, signal, known: servers.words, ...options });
}

/**
 * Waits until a server has worked through the documents it was just given, where it does so beside its answers: it then
 * sends diagnostics of each. False when they do not come in time.
 */
export async function settled(
  instance: ServerInstance,
  documents: readonly OpenDocument[],
  signal?: AbortSignal,
): Promise<boolean> {
  // What is in an open file reaches the answers of one with an index once it has looked at the file.
  const isAtOnce = instance.index === undefined && instance.knowsFiles;
  if (isAtOnce || instance.definition.answersInOrder === true) return true;
  // One that waits to be asked for diagnostics sends none.
  if (instance.answersDiagnostics) return true;
  const all = await Promise.all(documents.map((document) => instance.diagnosticsOf(document, signal)));
  return all.every((diagnostics) => diagnostics !== undefined);
}

/** The files to show a server for a question about a symbol of a file, beside that file. */
export async function otherFilesToShow(
  context: CodeContext,
  instance: Server,
  path: string,
  symbol: string,
): Promise<Shown> {
  const { name: word } = readSymbol(symbol);
  const { roots, cut: beyond } = rootsToSearch(context, instance, path);
  const { files, cut, unshown } = await filesToShow(context, instance, word, roots);
  return {
    files: files.filter((file) => file !== path),
    cut: cut || beyond,
    unshown: unshown.filter((file) => file.path !== path),
  };
}

/**
 * Where a symbol of a file may be used. In a broad root only the project that contains the file is searched.
 * `cut`: there is no such project, or the server is not told of it.
 */
export function rootsToSearch(
  { scope }: CodeContext,
  { kind, definition, folders }: Server,
  path: string,
): { readonly roots: readonly Root[]; readonly cut: boolean } {
  const { root } = scope.locate(path);
  const { roots } = scope;
  if (!root.broad) return { roots, cut: false };
  // A server of one folder has that of the project.
  const folder =
    kind === 'per-root' ? folders[0]?.path : projectFolder(scope, path, definition.markers ?? []);
  if (folder === undefined) return { roots, cut: true };
  return { roots: [...roots, { ...root, path: folder, broad: false }], cut: kind === 'shared' };
}
