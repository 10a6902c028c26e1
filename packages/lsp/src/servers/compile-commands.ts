import { basename, dirname, extname, join, resolve } from 'node:path';
import type { Scope } from '@rootward/core';

/** How a file is compiled. */
export interface CompileCommand {
  readonly workingDirectory: string;
  readonly compilationCommand: readonly string[];
}

/** One source and how it is compiled. */
export interface Entry {
  readonly directory: string;
  readonly file: string;
  readonly args: readonly string[];
}

/** What one entry of a database may say. */
interface Listed {
  readonly directory?: unknown;
  readonly file?: unknown;
  readonly command?: unknown;
  readonly arguments?: unknown;
}

/** How all sources of a workspace are compiled. */
export interface Compilation {
  readonly entries: readonly Entry[];
  /** Sources that no database lists. */
  readonly guessed: ReadonlySet<string>;
}

/** Flags for all files of a folder, one on a line. */
const FLAGS = 'compile_flags.txt';
/** Folders of a root from which projects often include. */
const INCLUDED_FROM = ['', 'include', 'src'];
/** Where clangd looks, in a folder and in those around it. */
const NAMES = ['compile_commands.json', join('build', 'compile_commands.json')];
/** A larger list is left to clangd. */
const MAX_BYTES: number = 64 * 1024 * 1024;
/** Sources looked into for one that includes a header, nearest first. */
const MAX_LOOKED_AT = 50;
const LANGUAGES: Readonly<Record<string, string>> = {
  '.c': 'c',
  '.m': 'objective-c',
  '.mm': 'objective-c++',
};

/** The compilation databases of a workspace, read anew when they change. */
export class CompileCommands {
  readonly #known = new Map<string, { readonly stamp: string; readonly entries: readonly Entry[] }>();

  /**
   * The command of a source that includes a header, for a header that has none of its own; otherwise clangd takes that
   * of the file it was shown first. Undefined where there is no database in the roots.
   */
  async forHeader(scope: Scope, header: string): Promise<CompileCommand | 'its own' | undefined> {
    const entries = await this.#entriesAround(scope, header);
    if (entries.some(({ file }) => file === header)) return 'its own';
    const entry = (await firstIncluding(scope, entries, header)) ?? entries[0];
    return entry === undefined ? undefined : asHeader(entry, header);
  }

  /** The commands of all sources: those of the databases around them, and a guess for the others. */
  async forSources(scope: Scope, sources: readonly string[]): Promise<Compilation> {
    const listed = new Map<string, Entry[]>();
    const databases = new Set<readonly Entry[]>();
    const around = new Map<string, Around>();
    for (const path of sources) {
      const folder = dirname(path);
      const found = around.get(folder) ?? (await this.#around(scope, path));
      around.set(folder, found);
      if (found.entries === undefined || databases.has(found.entries)) continue;
      databases.add(found.entries);
      for (const entry of found.entries) {
        const file = inScope(scope, entry.file);
        if (file !== undefined) listed.set(file, [...(listed.get(file) ?? []), { ...entry, file }]);
      }
    }
    const guessed = new Set<string>();
    const others = sources
      .filter((path) => !listed.has(path))
      .map((path) => {
        const { entries = [], flags, folder } = around.get(dirname(path)) ?? {};
        if (flags !== undefined && folder !== undefined)
          return { directory: folder, file: path, args: ['clang', ...flags, path] };
        guessed.add(path);
        const [nearest] = nearestFirst(entries, path);
        return nearest === undefined ? guess(scope, path) : asSource(nearest, path);
      });
    return { entries: [...listed.values(), others].flat(), guessed };
  }

  /** What is compiled around a file, nearest first. */
  async #entriesAround(scope: Scope, path: string): Promise<readonly Entry[]> {
    return nearestFirst((await this.#around(scope, path)).entries ?? [], path);
  }

  async #around(scope: Scope, path: string): Promise<Around> {
    const { root } = scope.locate(path);
    for (let folder = dirname(path); ; folder = dirname(folder)) {
      for (const name of NAMES) {
        const entries = await this.#read(scope, join(folder, name));
        if (entries !== undefined) return { entries };
      }
      const flags = await readFlags(scope, join(folder, FLAGS));
      if (flags !== undefined) return { flags, folder };
      if (folder === root.path || folder === dirname(folder)) return {};
    }
  }

  async #read(scope: Scope, path: string): Promise<readonly Entry[] | undefined> {
    try {
      if (!scope.locate(path).exists) return undefined;
      const { modified, size } = await scope.stat(path);
      const stamp = `${modified.getTime()} ${size}`;
      const known = this.#known.get(path);
      if (known?.stamp === stamp) return known.entries;
      const { text } = await scope.readText(path, { maxBytes: MAX_BYTES });
      const entries = readEntries(text);
      this.#known.set(path, { stamp, entries });
      return entries;
    } catch {
      return undefined;
    }
  }
}

/** The nearest description of how the files of a folder are compiled. */
interface Around {
  readonly entries?: readonly Entry[];
  readonly flags?: readonly string[];
  readonly folder?: string;
}

async function readFlags(scope: Scope, path: string): Promise<readonly string[] | undefined> {
  try {
    if (!scope.locate(path).exists) return undefined;
    const { text } = await scope.readText(path, { maxBytes: MAX_BYTES });
    return text
      .split(/\r?\n/)
      .map((line) => line.trim())
      .filter(Boolean);
  } catch {
    return undefined;
  }
}

function inScope(scope: Scope, file: string): string | undefined {
  try {
    const { path, exists } = scope.locate(file);
    return exists ? path : undefined;
  } catch {
    return undefined;
  }
}

/** What clangd would take for a source without a command, with the usual folders of headers. */
function guess(scope: Scope, file: string): Entry {
  const { root } = scope.locate(file);
  const includes = INCLUDED_FROM.map((name) => `-I${join(root.path, name)}`);
  return { directory: dirname(file), file, args: ['clang', ...includes, file] };
}

/** Entries that cannot be read are left out. Pure. */
function readEntries(text: string): readonly Entry[] {
  const list: unknown = JSON.parse(text);
  if (!Array.isArray(list)) return [];
  return list.flatMap((each: unknown) => {
    if (typeof each !== 'object' || each === null) return [];
    const { directory, file, command, arguments: given }: Listed = each;
    if (typeof directory !== 'string' || typeof file !== 'string') return [];
    const args = Array.isArray(given) ? given.map(String) : typeof command === 'string' ? split(command) : [];
    return args.length === 0 ? [] : [{ directory, file: resolve(directory, file), args }];
  });
}

/** A command as a shell takes it apart. Pure. */
export function split(command: string): readonly string[] {
  const parts = command.matchAll(/(?:\\.|"(?:\\.|[^"\\])*"|'[^']*'|[^\s"'\\])+/gs);
  return [...parts].map(([part]) =>
    part.replace(/\\(.)|"((?:\\.|[^"\\])*)"|'([^']*)'/gs, (_, escaped, double, single) =>
      typeof double === 'string' ? double.replace(/\\(["\\$`])/g, '$1') : (escaped ?? single ?? ''),
    ),
  );
}

/** Those of the same name first, then by their folder, then by name. Pure. */
function nearestFirst(entries: readonly Entry[], path: string): readonly Entry[] {
  const score = ({ file }: Entry): number =>
    Number(stemOf(file) === stemOf(path)) * path.length + common(dirname(file), dirname(path));
  return entries
    .map((entry) => ({ entry, score: score(entry) }))
    .toSorted((a, b) => b.score - a.score || (a.entry.file < b.entry.file ? -1 : 1))
    .map(({ entry }) => entry);
}

function stemOf(file: string): string {
  return basename(file, extname(file));
}

function common(a: string, b: string): number {
  const others = b.split(/[\\/]/);
  const differs = a.split(/[\\/]/).findIndex((part, index) => part !== others[index]);
  return differs < 0 ? a.split(/[\\/]/).length : differs;
}

async function firstIncluding(
  scope: Scope,
  entries: readonly Entry[],
  header: string,
): Promise<Entry | undefined> {
  const name = basename(header).replace(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
  const includes = new RegExp(String.raw`^\s*#\s*(?:include|import)\s*["<](?:[^">\n]*/)?${name}[">]`, 'm');
  for (const entry of entries.slice(0, MAX_LOOKED_AT)) {
    try {
      if (includes.test((await scope.readText(entry.file)).text)) return entry;
    } catch {
      // It is gone, or not in the roots.
    }
  }
  return undefined;
}

/** The command of a source, for a header. Pure. */
function asHeader(entry: Entry, header: string): CompileCommand {
  const { language, kept } = withoutSource(entry);
  const compilationCommand = [...kept, `-x${language.replace(/-header$/, '')}-header`, header];
  return { workingDirectory: entry.directory, compilationCommand };
}

/** The command of a source, for another one. Pure. */
function asSource(entry: Entry, file: string): Entry {
  return { directory: entry.directory, file, args: [...withoutSource(entry).kept, file] };
}

/** A command without its source and what comes out of it. Pure. */
function withoutSource({ directory, file, args }: Entry): {
  readonly language: string;
  readonly kept: readonly string[];
} {
  let language = LANGUAGES[extname(file).toLowerCase()] ?? 'c++';
  const kept: string[] = [];
  for (let index = 0; index < args.length; index += 1) {
    const arg = args[index] ?? '';
    if (arg === '-x') language = args[(index += 1)] ?? language;
    else if (/^-x[a-z]/.test(arg)) language = arg.slice(2);
    else if (arg === '-o') index += 1;
    else if (arg !== '-c' && arg !== '--' && (index === 0 || resolve(directory, arg) !== file))
      kept.push(arg);
  }
  return { language, kept };
}
