import { constants } from 'node:fs';
import { access, realpath } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { containsPath, hostPathStyle } from '@rootward/core';
import type { Root } from '@rootward/core';

export interface FindProgramOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly roots: readonly Root[];
  /** Tried before `PATH`. */
  readonly candidates?: readonly string[];
}

/**
 * A helper program by name, as its canonical path. What lies inside a root is passed over, under whatever name it is
 * found: the workspace must not decide what runs here. Does NOT look at the current directory, whatever `PATH` says.
 */
export async function findProgram(
  name: string,
  { environment, roots, candidates = [] }: FindProgramOptions,
): Promise<string | undefined> {
  const names = hostPathStyle === 'windows' ? [`${name}.exe`] : [name];
  const folders = (environment['PATH'] ?? environment['Path'] ?? '').split(delimiter).filter(isAbsolute);
  const paths = [...candidates, ...folders.flatMap((folder) => names.map((file) => join(folder, file)))];
  for (const path of paths) {
    const program = await canonicalProgram(path);
    if (program !== undefined && !roots.some((root) => containsPath(root.path, program, hostPathStyle))) {
      return program;
    }
  }
  return undefined;
}

async function canonicalProgram(path: string): Promise<string | undefined> {
  try {
    const program = await realpath(path);
    await access(program, constants.X_OK);
    return program;
  } catch {
    return undefined;
  }
}
