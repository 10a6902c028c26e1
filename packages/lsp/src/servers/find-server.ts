import { constants } from 'node:fs';
import { access, open, realpath } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, extname, isAbsolute, join } from 'node:path';
import type { Root } from '@rootward/core';
import {
  isObject,
  isWorkspaceProgram,
  namedCandidates,
  programCandidates,
  ProgramPlaces,
  type Environment,
  type SkippedProgram,
} from '@rootward/core/platform';
import type { ServerDefinition } from './definition.js';
import { findBehindRustup, isRustupShim } from './rustup-shim.js';
import { findNativeTypeScript } from './typescript-native.js';

/** Where `findServer` looks, and what it passes over. */
export interface FindServerOptions {
  readonly environment: Environment;
  readonly roots: readonly Root[];
  /** Also take servers from inside a root, and those that run code of the workspace. */
  readonly trustWorkspaceServers: boolean;
}

/** How a server is started. */
export interface ServerCommand {
  readonly program: string;
  readonly args: readonly string[];
  readonly initializationOptions: unknown;
}

/** What `findServer` found: a program to start, or why there is none. */
export type ServerFinding =
  | { readonly kind: 'found'; readonly command: ServerCommand }
  | { readonly kind: 'not-installed' | 'runs-workspace-code' | 'without-companion' }
  /** Also outside the roots, wherever the workspace or another user can put programs. */
  | ({ readonly kind: 'inside-root' } & SkippedProgram);

const SCRIPT = new Set(['.js', '.mjs', '.cjs']);
const NODE_SHEBANG = /^#!\S*(?:\/env\s+(?:-S\s+)?)?\S*\bnode\b/;
const MAX_FIRST_LINE = 128;
/** The folder of all packages that a script may load. */
const PACKAGES = /^.*?[\\/](?:node_modules|\.pnpm)(?=[\\/])/;

/**
 * Finds the program of a server as a canonical path. A path that the settings name may be anywhere outside the roots; a
 * name is searched for as all programs are (`searchProgram`). Does NOT look into the current directory.
 */
export async function findServer(
  definition: ServerDefinition,
  options: FindServerOptions,
): Promise<ServerFinding> {
  const { roots, trustWorkspaceServers } = options;
  const usable = (path: string): boolean => trustWorkspaceServers || !isWorkspaceProgram(path, roots);
  const places = new ProgramPlaces(roots);
  const isNamed = (candidate: string): boolean =>
    definition.commands.some(
      (command) => command === candidate || namedCandidates(command, options.environment).includes(candidate),
    );
  const reasonAgainst = (candidate: string, program: string): string | undefined => {
    if (trustWorkspaceServers) return undefined;
    if (!usable(program)) return 'inside a root';
    if (isNamed(candidate)) return undefined;
    return places.reasonAgainst(dirname(candidate)) ?? places.reasonAgainst(candidate);
  };
  let passedOver: ServerFinding | undefined;
  for (const candidate of candidates(definition.commands, options.environment)) {
    const program = await canonicalProgram(candidate, definition, options.environment);
    if (program === undefined) continue;
    const reason = reasonAgainst(candidate, program);
    if (reason !== undefined) {
      passedOver = { kind: 'inside-root', path: candidate, reason };
      continue;
    }
    const initializationOptions = withCompanion(definition, program, usable);
    if (initializationOptions === 'missing') {
      passedOver ??= { kind: 'without-companion' };
      continue;
    }
    if (definition.runsWorkspaceCode !== undefined && !trustWorkspaceServers)
      return { kind: 'runs-workspace-code' };
    return { kind: 'found', command: { ...(await startOf(program, definition)), initializationOptions } };
  }
  return passedOver ?? { kind: 'not-installed' };
}

function candidates(commands: readonly string[], environment: Environment): readonly string[] {
  return commands.flatMap((command) =>
    isAbsolute(command)
      ? [command]
      : [...namedCandidates(command, environment), ...programCandidates(command, environment)],
  );
}

async function canonicalProgram(
  path: string,
  { program }: ServerDefinition,
  environment: Environment,
): Promise<string | undefined> {
  try {
    const canonical = await realpath(path);
    if (program === 'typescript-native') return await findNativeTypeScript(canonical);
    if (isRustupShim(path, canonical)) return await findBehindRustup(basename(path), canonical, environment);
    if (!SCRIPT.has(extname(canonical))) await access(canonical, constants.X_OK);
    return canonical;
  } catch {
    return undefined;
  }
}

/** Scripts are run by our own Node, so that no other `node` on `PATH` decides. */
async function startOf(
  program: string,
  { args = [], readsOnlyItself = false }: ServerDefinition,
): Promise<Pick<ServerCommand, 'program' | 'args'>> {
  if (!(await isScript(program))) return { program, args };
  const flags = readsOnlyItself ? permissionFlags(program) : [];
  return { program: process.execPath, args: [...flags, program, ...args] };
}

/** A script of Node, by its ending or its first line. */
async function isScript(program: string): Promise<boolean> {
  if (extname(program) !== '') return SCRIPT.has(extname(program));
  const handle = await open(program);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(MAX_FIRST_LINE), 0, MAX_FIRST_LINE, 0);
    return NODE_SHEBANG.test(buffer.toString('latin1', 0, bytesRead));
  } finally {
    await handle.close();
  }
}

/** Lets a script read the packages it is installed with, and start nothing. */
function permissionFlags(script: string): readonly string[] {
  const name = '--permission';
  const flag = process.allowedNodeEnvironmentFlags.has(name) ? name : '--experimental-permission';
  const packages = PACKAGES.exec(script)?.[0] ?? dirname(dirname(script));
  return [flag, `--allow-fs-read=${join(packages, '*')}`];
}

function withCompanion(
  { companion, initializationOptions }: ServerDefinition,
  program: string,
  usable: (path: string) => boolean,
): unknown {
  if (companion === undefined) return initializationOptions;
  const [section, option] = companion.option;
  const given = isObject(initializationOptions) ? initializationOptions[section] : undefined;
  if (isObject(given) && typeof given[option] === 'string') return initializationOptions;
  try {
    const path = createRequire(program).resolve(companion.module);
    if (!usable(path)) return 'missing';
    return Object.assign({}, initializationOptions, { [section]: { [option]: path } });
  } catch {
    return 'missing';
  }
}
