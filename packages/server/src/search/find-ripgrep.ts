import type { Root } from '@rootward/core';
import { searchProgram, type ProgramSearch } from '@rootward/core/platform';

/** The ripgrep that came along, where it is installed, else one on `PATH`; never one inside a root. */
export async function searchRipgrep(
  roots: readonly Root[],
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Promise<ProgramSearch> {
  return searchProgram('rg', { environment, roots, candidates: await bundled() });
}

/** The canonical path of that one. */
export async function findRipgrep(...of: Parameters<typeof searchRipgrep>): Promise<string | undefined> {
  return (await searchRipgrep(...of)).found?.canonical;
}

async function bundled(): Promise<readonly string[]> {
  try {
    return [(await import('@vscode/ripgrep')).rgPath];
  } catch {
    // Optional: not installed, or not made for this platform.
    return [];
  }
}
