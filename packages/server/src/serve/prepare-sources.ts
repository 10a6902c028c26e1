import type { Logger, Sources } from '@rootward/core';
import { silentLogger } from '@rootward/core/platform';
import { prepareWorkspace, type PreparedWorkspace, type WorkspaceOptions } from '@rootward/mcp/host';
import { RootwardServerError } from '../error.js';
import type { Environment } from '../settings/from-environment.js';
import type { Settings } from '../settings/settings.js';

/** Where the server runs, passed in once by the command line. */
export interface StartContext {
  readonly environment: Environment;
  readonly home: string;
  /** What relative paths of the command line are relative to. */
  readonly directory: string;
  /** The folder of the running program, which the fence protects. */
  readonly program: string | undefined;
  /** The script that was called, as it was called. */
  readonly command?: string | undefined;
}

const SECOND_MS = 1_000;
/** What messages call the options of the library: here they are flags. */
const FLAGS = { roots: '--root', within: '--within', project: '--project' } as const;

/** Where the roots of all connections come from. */
export interface PreparedSources {
  readonly prepared: PreparedWorkspace;
  /** What was found at the start. */
  readonly sources: Sources;
}

/** What settings say about where roots come from. */
export function sourceOptions(
  { roots, within, origins, project, clientRoots, configuredRoots, readyTimeout }: Settings,
  { environment, home, directory, program }: StartContext,
  log: Logger,
): WorkspaceOptions {
  return {
    roots,
    directory,
    cwd: directory,
    ...(program !== undefined && { program }),
    ...(within.length > 0 && { within }),
    origins: { ...FLAGS, ...origins },
    config: configuredRoots,
    clientRoots,
    ...(readyTimeout !== undefined && { limits: { readyTimeout: readyTimeout * SECOND_MS } }),
    environment,
    home,
    log,
    ...(project !== undefined && { project }),
  };
}

/** Reads the sources. Throws where something named by the operator cannot be used. */
export async function prepareSources(
  { http }: Pick<Settings, 'http'>,
  options: WorkspaceOptions,
): Promise<PreparedSources> {
  return http === undefined ? prepareLocal(options) : prepareForHttp(options);
}

async function prepareLocal(options: WorkspaceOptions): Promise<PreparedSources> {
  const prepared = prepareWorkspace(options);
  return { prepared, sources: await prepared.sources('local') };
}

async function prepareForHttp(options: WorkspaceOptions): Promise<PreparedSources> {
  const prepared = prepareWorkspace(options);
  const found = await prepared.sources('http');
  if (found.reading.ceiling !== undefined) return { prepared, sources: found };
  // Read again below the ceiling, and in silence: what there is to warn of has been said.
  const bounded = prepareWorkspace({ ...options, ...hintedCeiling(found), log: silentLogger });
  const sources = await bounded.sources('http');
  return { prepared: prepareWorkspace({ ...options, sources }), sources };
}

/**
 * Over HTTP, what the operator named is the ceiling. Where nothing was named, the folder the server was started for
 * takes its place: without any, whoever connects could name the whole disk.
 */
function hintedCeiling({ hints }: Sources): Pick<WorkspaceOptions, 'within' | 'origins'> {
  const hint = hints.find(({ roots }) => roots.length > 0);
  if (hint !== undefined)
    return { within: hint.roots.map(({ path }) => path), origins: { ...FLAGS, within: hint.source } };
  throw new RootwardServerError(
    'usage',
    'Cannot serve over HTTP: no folder was named; write one in front of --http, such as . for the current one',
  );
}
