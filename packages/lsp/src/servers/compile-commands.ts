import { basename, dirname, extname, join, resolve } from 'node:path';
import type { Scope } from '@rootward/core';

/** How a file is compiled. */
export interface CompileCommand {
  readonly workingDirectory: string;
  readonly compilationCommand: readonly string[];
}

interface Entry {
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

  /** What is compiled around a file, nearest first. */
  async #entriesAround(scope: Scope, path: string): Promise<readonly Entry[]> {
    const { root } = scope.locate(path);
    for (let folder = dirname(path); ; folder = dirname(folder)) {
      for (const name of NAMES) {
        const entries = await this.#read(scope, join(folder, name));
        if (entries !== undefined) return nearestFirst(entries, path);
      }
      if (folder === root.path || folder === dirname(folder)) return [];
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
function asHeader({ directory, file, args }: Entry, header: string): CompileCommand {
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
  const compilationCommand = [...kept, `-x${language.replace(/-header$/, '')}-header`, header];
  return { workingDirectory: directory, compilationCommand };
}
