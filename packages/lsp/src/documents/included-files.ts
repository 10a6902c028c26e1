import { dirname, join, sep } from 'node:path';
import type { Scope } from '@rootward/core';

const INCLUDE = /^[^\S\n]*#[^\S\n]*(?:include|include_next|import)[^\S\n]*["<]([^">\n]+)[">]/gm;
/** Folders of a root from which projects often include. */
const COMMON_FOLDERS = ['', 'include', 'src'];
/** Files looked into; a project with more is rare, and not knowing costs time only. */
const MAX_FILES = 200;

/**
 * Whether a source of C or C++ includes a file, by itself or through other files, as far as the text tells. Without the
 * flags of a compiler not every include is found.
 */
export async function includesFile(
  scope: Scope,
  from: { readonly path: string; readonly text: string },
  wanted: string,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const seen = new Set([from.path]);
  const queue = [from];
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    for (const [, name = ''] of next.text.matchAll(INCLUDE)) {
      const path = resolved(scope, dirname(next.path), name);
      if (path === undefined ? wanted.endsWith(join(sep, name)) : path === wanted) return true;
      if (path === undefined || seen.has(path) || seen.size >= MAX_FILES) continue;
      seen.add(path);
      const text = await textOf(scope, path, signal);
      if (text !== undefined) queue.push({ path, text });
    }
  }
  return false;
}

function resolved(scope: Scope, folder: string, name: string): string | undefined {
  const folders = [
    folder,
    ...scope.roots.flatMap(({ path }) => COMMON_FOLDERS.map((each) => join(path, each))),
  ];
  for (const each of folders) {
    try {
      const { path, exists } = scope.locate(join(each, name));
      if (exists) return path;
    } catch {
      // Outside the roots.
    }
  }
  return undefined;
}

async function textOf(
  scope: Scope,
  path: string,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  try {
    return (await scope.readText(path, signal === undefined ? {} : { signal })).text;
  } catch {
    signal?.throwIfAborted();
    return undefined;
  }
}
