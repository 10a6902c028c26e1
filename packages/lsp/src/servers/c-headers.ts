import { dirname, join } from 'node:path';
import type { Scope } from '@rootward/core';
import { CompileCommands, type CompileCommand } from './compile-commands.js';

const CPP = /\.(?:cc|cpp|cxx|c\+\+|hpp|hh|hxx|mm)$/i;
const HEADER = /\.(?:h|hh|hpp|hxx)$/i;

/** How headers are compiled, which clangd otherwise guesses, by what it was shown before or by their names. */
export class HeaderCommands {
  readonly #markers: readonly string[];
  readonly #commands = new CompileCommands();

  /** Takes the files that tell clangd how to compile. */
  constructor(markers: readonly string[]) {
    this.#markers = markers;
  }

  /** What to tell clangd of a file; undefined where there is nothing to say. */
  async settingsFor(scope: Scope, path: string): Promise<object | undefined> {
    if (!HEADER.test(path)) return undefined;
    const borrowed = await this.#commands.forHeader(scope, path);
    if (borrowed === 'its own') return undefined;
    const command =
      borrowed ?? (hasMarker(scope, path, this.#markers) ? undefined : await commandInC(scope, path));
    if (command === undefined) return undefined;
    return { settings: { compilationDatabaseChanges: { [path]: command } } };
  }
}

/**
 * The command of a header of C: sources of C and none of C++ stand beside it. Left to itself, clangd takes every header
 * for C++ where no compilation database says otherwise, and the functions declared there for others than those of C.
 */
async function commandInC(scope: Scope, path: string): Promise<CompileCommand | undefined> {
  if (!path.toLowerCase().endsWith('.h')) return undefined;
  try {
    const names = (await scope.list(dirname(path))).map(({ name }) => name);
    const isC =
      names.some((name) => name.toLowerCase().endsWith('.c')) && !names.some((name) => CPP.test(name));
    const compilationCommand = ['clang', '-xc-header', path];
    return isC ? { workingDirectory: dirname(path), compilationCommand } : undefined;
  } catch {
    return undefined;
  }
}

function hasMarker(scope: Scope, path: string, markers: readonly string[]): boolean {
  const { root } = scope.locate(path);
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if (markers.some((marker) => exists(scope, join(folder, marker)))) return true;
    if (folder === root.path || folder === dirname(folder)) return false;
  }
}

function exists(scope: Scope, path: string): boolean {
  try {
    return scope.locate(path).exists;
  } catch {
    return false;
  }
}
