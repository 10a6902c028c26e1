import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Scope, type Root } from '@rootward/core';
import { sourceFiles } from '../documents/source-files.js';
import { CompileCommands, type Compilation } from '../servers/compile-commands.js';

/** A folder of ours with the compilation database that a server indexes, and the index itself. */
export interface PreparedIndex {
  readonly folder: string;
  /** What the server is started with in addition. */
  readonly args: readonly string[];
  /** One of the sources: the server begins to read them when it is shown one. */
  readonly first: string;
  /** Whether no database says how a file is compiled. */
  isGuessed(path: string): boolean;
  /** The sources of which that is true. */
  readonly guessed: readonly string[];
}

const SOURCE = /\.(?:c|cc|cpp|cxx|m|mm)$/i;
const DATABASE = 'compile_commands.json';
/** An index that was not used for so long is removed. */
const KEPT_MS: number = 30 * 24 * 60 * 60 * 1000;

/** The folders of indexes. Without a place of their own they end with this process. */
export class IndexFolders {
  readonly #cache: string | undefined;
  #own: Promise<string> | undefined;

  constructor(cache: string | undefined) {
    this.#cache = cache;
  }

  /**
   * Prepares the index of some folders in the roots: writes one compilation database for all of them. clangd keeps its
   * index beside the database, so nothing is written into the workspace. Undefined where there is no source to index.
   */
  async prepare(
    roots: readonly Root[],
    folders: readonly { readonly path: string }[],
  ): Promise<PreparedIndex | undefined> {
    const scope = new Scope({ roots });
    const served = folders.map(({ path }) => ({ ...scope.locate(path).root, path, broad: false }));
    const sources: string[] = [];
    for await (const { path } of sourceFiles(scope, { roots: served, wanted: isSource })) sources.push(path);
    const compilation = await new CompileCommands().forSources(scope, sources);
    const [first] = compilation.entries;
    if (first === undefined) return undefined;
    const folder = join(await this.#place(), nameOf(served));
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeDatabase(folder, compilation);
    return {
      folder,
      first: first.file,
      args: ['--background-index', `--compile-commands-dir=${folder}`],
      guessed: [...compilation.guessed],
      isGuessed: (path) =>
        isSource(path)
          ? !isListed(compilation, path)
          : compilation.entries.length === compilation.guessed.size,
    };
  }

  /** Removes what ends with this process. */
  async dispose(): Promise<void> {
    const folder = await this.#own;
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  }

  async #place(): Promise<string> {
    if (this.#cache === undefined) return (this.#own ??= mkdtemp(join(tmpdir(), 'rootward-index-')));
    await mkdir(this.#cache, { recursive: true, mode: 0o700 });
    await chmod(this.#cache, 0o700);
    await removeOld(this.#cache);
    return this.#cache;
  }
}

function isSource(path: string): boolean {
  return SOURCE.test(path);
}

function isListed({ entries, guessed }: Compilation, path: string): boolean {
  return !guessed.has(path) && entries.some(({ file }) => file === path);
}

function nameOf(roots: readonly Root[]): string {
  const paths = roots.map(({ path }) => path).sort();
  return createHash('sha256').update(paths.join('\n')).digest('hex').slice(0, 32);
}

/** Another process may read it meanwhile, or write the same. */
async function writeDatabase(folder: string, { entries }: Compilation): Promise<void> {
  const text = JSON.stringify(
    entries.map(({ directory, file, args }) => ({ directory, file, arguments: args })),
  );
  const temporary = join(folder, `${DATABASE}.${process.pid}`);
  await writeFile(temporary, text, { mode: 0o600 });
  await rename(temporary, join(folder, DATABASE));
}

async function removeOld(cache: string): Promise<void> {
  for (const name of await readdir(cache)) {
    const folder = join(cache, name);
    const used = await stat(join(folder, DATABASE)).catch(() => stat(folder).catch(() => undefined));
    if (used === undefined || Date.now() - used.mtimeMs < KEPT_MS) continue;
    await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
}
