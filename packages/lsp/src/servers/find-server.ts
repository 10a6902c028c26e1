import { constants } from 'node:fs';
import { access, realpath } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { delimiter, extname, isAbsolute, join } from 'node:path';
import type { Root } from '@rootward/core';
import type { Environment } from './environment.js';
import { isInsideRoot } from './environment.js';
import type { ServerDefinition } from './definition.js';
import { findNativeTypeScript } from './typescript-native.js';

/** Where `findServer` looks, and what it passes over. */
export interface FindServerOptions {
  readonly environment: Environment;
  readonly roots: readonly Root[];
  /** Also take servers from inside a root, and those that run code of the workspace. */
  readonly trustWorkspaceServers: boolean;
}

/** What to start. */
export interface ServerCommand {
  readonly program: string;
  readonly args: readonly string[];
  readonly initializationOptions: unknown;
}

/** What `findServer` found: a program to start, or why there is none. */
export type ServerFinding =
  | { readonly kind: 'found'; readonly command: ServerCommand }
  | { readonly kind: 'not-installed' | 'inside-root' | 'runs-workspace-code' };

const SCRIPT = new Set(['.js', '.mjs', '.cjs']);

/**
 * Finds the program of a server as a canonical path. One that lies inside a root is passed over, under whatever name it
 * is found: the workspace must not decide what runs here. Does NOT look into the current directory.
 */
export async function findServer(
  definition: ServerDefinition,
  options: FindServerOptions,
): Promise<ServerFinding> {
  const { roots, trustWorkspaceServers } = options;
  const usable = (path: string): boolean => trustWorkspaceServers || !isInsideRoot(path, roots);
  let insideRoot = false;
  for (const candidate of candidates(definition.commands, options.environment)) {
    const program = await canonicalProgram(candidate, definition);
    if (program === undefined) continue;
    if (!usable(program)) {
      insideRoot = true;
      continue;
    }
    const initializationOptions = withCompanion(definition, program, usable);
    if (initializationOptions === 'missing') continue;
    if (definition.runsWorkspaceCode !== undefined && !trustWorkspaceServers)
      return { kind: 'runs-workspace-code' };
    return { kind: 'found', command: { ...startOf(program, definition.args ?? []), initializationOptions } };
  }
  return { kind: insideRoot ? 'inside-root' : 'not-installed' };
}

function* candidates(commands: readonly string[], environment: Environment): Generator<string> {
  const folders = (environment['PATH'] ?? environment['Path'] ?? '').split(delimiter).filter(isAbsolute);
  for (const command of commands) {
    if (isAbsolute(command)) yield command;
    else for (const folder of folders) yield join(folder, command + suffix);
  }
}

const suffix = process.platform === 'win32' ? '.exe' : '';

async function canonicalProgram(path: string, { program }: ServerDefinition): Promise<string | undefined> {
  try {
    const canonical = await realpath(path);
    if (program === 'typescript-native') return await findNativeTypeScript(canonical);
    if (!SCRIPT.has(extname(canonical))) await access(canonical, constants.X_OK);
    return canonical;
  } catch {
    return undefined;
  }
}

/** Scripts are run by our own Node, so that no other `node` on `PATH` decides. */
function startOf(program: string, args: readonly string[]): Pick<ServerCommand, 'program' | 'args'> {
  return SCRIPT.has(extname(program))
    ? { program: process.execPath, args: [program, ...args] }
    : { program, args };
}

function withCompanion(
  { companion, initializationOptions }: ServerDefinition,
  program: string,
  usable: (path: string) => boolean,
): unknown {
  if (companion === undefined) return initializationOptions;
  try {
    const path = createRequire(program).resolve(companion.module);
    if (!usable(path)) return 'missing';
    const [section, option] = companion.option;
    return Object.assign({}, initializationOptions, { [section]: { [option]: path } });
  } catch {
    return 'missing';
  }
}
