import type { FileStamp, Root, Scope } from '@rootward/core';

/** Folders of packages, builds and caches: large, and not what the work is about. */
const PASSED_OVER: ReadonlySet<string> = new Set([
  '.git',
  '.hg',
  '.svn',
  '.venv',
  '__pycache__',
  'node_modules',
  'venv',
]);

export function isPassedOver(name: string): boolean {
  return PASSED_OVER.has(name);
}

export interface SourceFilesOptions {
  readonly roots: readonly Root[];
  readonly wanted: (path: string) => boolean | Promise<boolean>;
  /** Also tell what a change of a file changes. */
  readonly stamps?: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** A file, and its stamp where `stamps` asks for it and `Scope.walk()` has one. */
export interface SourceFile {
  readonly path: string;
  readonly stamp?: FileStamp | undefined;
}

/** The files of some roots that are wanted. Broad roots are not looked through; a single-file root is its own file. */
export async function* sourceFiles(
  scope: Scope,
  { roots, wanted, stamps = false, signal }: SourceFilesOptions,
): AsyncGenerator<SourceFile, void> {
  for (const root of roots) {
    if (root.broad) continue;
    if (root.kind === 'file') {
      if (await wanted(root.path)) yield { path: root.path };
      continue;
    }
    const options = {
      gitignore: true,
      stamps,
      filter: ({ name }: { readonly name: string }): boolean => !isPassedOver(name),
      ...(signal !== undefined && { signal }),
    };
    for await (const entry of scope.walk(root.path, options)) {
      if (entry.kind !== 'file') continue;
      const isWanted = wanted(entry.path);
      if (isWanted === true || (isWanted !== false && (await isWanted))) yield entry;
    }
  }
}
