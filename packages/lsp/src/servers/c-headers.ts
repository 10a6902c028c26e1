import { dirname, join } from 'node:path';
import type { Scope } from '@rootward/core';

const CPP = /\.(?:cc|cpp|cxx|c\+\+|hpp|hh|hxx|mm)$/i;

/**
 * Whether a header is one of C: sources of C and none of C++ stand beside it. Left to itself, clangd takes every header
 * for C++ where no compilation database says otherwise, and the functions declared there for others than those of C.
 */
export async function isHeaderOfC(scope: Scope, path: string, markers: readonly string[]): Promise<boolean> {
  if (!path.toLowerCase().endsWith('.h') || hasMarker(scope, path, markers)) return false;
  try {
    const names = (await scope.list(dirname(path))).map(({ name }) => name);
    return names.some((name) => name.toLowerCase().endsWith('.c')) && !names.some((name) => CPP.test(name));
  } catch {
    return false;
  }
}

/** What to tell clangd of such a header. */
export function headerSettings(path: string): object {
  const command = { workingDirectory: dirname(path), compilationCommand: ['clang', '-xc-header', path] };
  return { settings: { compilationDatabaseChanges: { [path]: command } } };
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
