import type { Root } from '@rootward/core';
import { findProgram } from '@rootward/core/platform';

/** The ripgrep that came along, where it is installed, else one on `PATH`; never one inside a root. */
export async function findRipgrep(
  roots: readonly Root[],
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Promise<string | undefined> {
  return findProgram('rg', { environment, roots, candidates: await bundled() });
}

async function bundled(): Promise<readonly string[]> {
  try {
    return [(await import('@vscode/ripgrep')).rgPath];
  } catch {
    // Optional: not installed, or not made for this platform.
    return [];
  }
}
