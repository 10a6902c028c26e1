import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { canonicalPlaces, type ProtectedPlace } from '@rootward/core';
import { operatorPlaces, type OperatorFiles } from '@rootward/core/platform';

/** What steers the fence and must not be changed through it. */
export interface SteeringFiles extends Omit<OperatorFiles, 'tools'> {
  /** The tools project. */
  readonly project: string | undefined;
}

/** The folders of a tools project that hold commands and settings. */
const PROJECT_FOLDERS = ['tools', 'config'];

/** More links in `tools/` are not looked for: every change is compared with what is protected. */
const MAX_TOOL_LINKS = 200;
/** A tool is a file in `tools/` or in a folder of it; what it uses may be in folders below. */
const MAX_TOOL_DEPTH = 4;

/** The places of one operator, by canonical paths: of one that leads through links, each of them and its end. */
export function protectedPaths(files: SteeringFiles): readonly ProtectedPlace[] {
  const { project, program } = files;
  const folders =
    project === undefined || project === '' ? [] : PROJECT_FOLDERS.map((folder) => join(project, folder));
  const links = folders.flatMap((folder) => linksIn(folder, MAX_TOOL_DEPTH)).slice(0, MAX_TOOL_LINKS);
  return canonicalPlaces(
    operatorPlaces({
      ...files,
      tools: [...folders, ...links],
      program: program === undefined ? undefined : packageFolder(program),
    }),
  );
}

/** The whole package the program belongs to: it also runs what stands beside the program, such as the shell library. */
function packageFolder(program: string): string {
  const above = dirname(program);
  return existsSync(join(above, 'package.json')) ? above : program;
}

/** The links in a folder: what they lead to runs as if it were in the folder, and may lie anywhere. */
function linksIn(folder: string, depth: number): readonly string[] {
  if (depth === 0) return [];
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isSymbolicLink()) return [path];
      return entry.isDirectory() ? linksIn(path, depth - 1) : [];
    });
  } catch {
    return [];
  }
}
