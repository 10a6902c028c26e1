import { RootwardError, type RejectionReason } from '../error.js';
import { silentLogger, type Logger } from '../platform/logger.js';
import type { Fence } from '../roots/fence.js';
import { canonicalHomes, type ReadRootsOptions } from '../roots/read-roots.js';
import type { OperatorLimits } from '../roots/operator-limits.js';
import type { Root, RootKind } from '../roots/root.js';
import { rootsDisk, type RootsDisk } from '../roots/roots-disk.js';
import { hostPathStyle, type PathStyle } from '../uri/path-style.js';
import { configSource } from './config.js';
import { cwdSource } from './cwd.js';
import { envSource } from './env.js';
import { failFast } from './fail-fast.js';
import { flagSource } from './flag.js';
import { hostSource } from './host.js';
import { projectSource } from './project.js';
import type {
  BadRoots,
  ConfiguredRoots,
  Origins,
  RootsVariable,
  SourceContext,
  SourceReading,
} from './root-source.js';
import { absent, describeNamed, readPaths } from './root-source.js';

/** How client roots combine with those of the operator: they replace them, come before them, or are ignored. */
export type ClientRootsMode = 'replace' | 'add' | 'ignore';

/** What `readSources` looks at. Only `environment` and `home` are required. */
export interface SourcesOptions {
  /** Directories and files named on the command line (`--root`, positional). */
  readonly roots?: readonly string[];
  /** The directory that command-line paths are relative to; without it they must be absolute. */
  readonly directory?: string;
  /** The directory the process was started in, a hint. */
  readonly cwd?: string;
  /** The canonical folder of the running program. It is never used as a hint. */
  readonly program?: string;
  /** False switches the hints off: what the host says, and the process directory. */
  readonly hints?: boolean;
  /** What happens to roots that cannot be used. By default those of a configuration file are skipped, others fail. */
  readonly badRoots?: BadRoots;
  /** The tools project (`--project`). */
  readonly project?: string;
  /** `roots` of configuration files, as parsed. */
  readonly config?: readonly ConfiguredRoots[];
  /** A variable of the environment that names roots, looked at before `ROOTWARD_ROOTS`. */
  readonly rootsVariable?: RootsVariable;
  /** Which kinds of roots count, whoever names them. Default: directories and files. */
  readonly kinds?: readonly RootKind[];
  /** The ceiling (`--within`). */
  readonly within?: readonly string[];
  /** What messages call the places that `roots`, `within` and `project` come from. */
  readonly origins?: Origins;
  /** Without `within`, the operator's roots are the ceiling. Required where unknown clients may connect. */
  readonly operatorRootsAreCeiling?: boolean;
  readonly clientRoots?: ClientRootsMode;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly style?: PathStyle;
  readonly disk?: RootsDisk;
  readonly log?: Logger;
  readonly signal?: AbortSignal;
}

/** What was found at the start, to be shared by any number of workspaces. Immutable. */
export interface Sources {
  /** `flag`, `env`, `config`, `project`: set by the operator. */
  readonly operators: readonly SourceReading[];
  /** `host`, `cwd`: only hints. */
  readonly hints: readonly SourceReading[];
  /** The ceiling directories as a last resort. */
  readonly fallback: SourceReading;
  readonly clientRoots: ClientRootsMode;
  /** What the operator made read-only. It stays read-only, whoever names it again. */
  readonly readOnly: readonly Root[];
  /** What rules are tied to, whatever roots a client names. */
  readonly fence: Fence;
  /** What the operator took away since the start. */
  readonly limits?: OperatorLimits | undefined;
  /** How roots that come later are to be read: under the same ceiling. */
  readonly reading: Omit<ReadRootsOptions, 'source'>;
  /**
   * Reads everything again. Defined if the operator named a root that does not exist yet; it counts as soon as it
   * exists.
   */
  readonly again: (() => Promise<Sources>) | undefined;
}

/**
 * Reads every source that does not change while the server runs. Throws for a bad value with which the server must not
 * start.
 *
 * @example
 * ```ts
 * import { readSources } from '@rootward/core';
 * import { homedir } from 'node:os';
 *
 * const sources = await readSources({
 *   environment: process.env,
 *   home: homedir(),
 *   roots: ['/home/me/app'],
 *   within: ['/home/me'],
 * });
 * console.log(sources.operators.map(({ source, detail }) => `${source}: ${detail}`));
 * ```
 */
export async function readSources(options: SourcesOptions): Promise<Sources> {
  const clientRoots = readMode(options.clientRoots ?? 'replace');
  const open = contextOf(options);
  const within = await readCeiling(options.within, open);
  const bounded = within.length === 0 ? open : { ...open, ceiling: within.map((root) => root.path) };

  const operators = await readAll([flagSource, envSource, configSource, projectSource], bounded);
  const winner = operators.find(({ roots }) => roots.length > 0);
  const named = winner?.roots ?? [];
  // This holds even if none of them can be used: then nothing is inside the ceiling.
  const isCeiling =
    options.operatorRootsAreCeiling === true &&
    bounded.ceiling === undefined &&
    (named.length > 0 || operators.some(namesNothingUsable));
  const context = isCeiling ? { ...bounded, ceiling: named.map((root) => root.path) } : bounded;
  const hints = options.hints === false ? [] : await readAll([hostSource, cwdSource], context);

  return {
    operators,
    hints,
    fallback:
      within.length === 0
        ? absent('ceiling', describeSubstitute(isCeiling ? winner : undefined, ceilingOrigin(open)))
        : describeCeiling(within, ceilingOrigin(open)),
    clientRoots,
    readOnly: named.filter((root) => root.access === 'read-only'),
    fence: {
      homes: Object.freeze(await canonicalHomes(context.home, context.style, context.disk)),
      named: operators.flatMap(({ roots }) => roots),
      ceiling: within,
      hinted: hints.flatMap(({ roots }) => roots),
    },
    reading: {
      home: context.home,
      style: context.style,
      disk: context.disk,
      ...(context.kinds === undefined ? {} : { kinds: context.kinds }),
      ...(context.ceiling === undefined ? {} : { ceiling: context.ceiling }),
    },
    again: operators.some(mayAppear)
      ? () => readSources({ ...options, badRoots: 'skip', log: silentLogger })
      : undefined,
  };
}

/** The sources as they are now: a root that the operator named counts, with its access, as soon as it exists. */
export async function currentSources(sources: Sources): Promise<Sources> {
  try {
    const fresh = await sources.again?.();
    // What was taken away stays taken away.
    return fresh === undefined ? sources : { ...fresh, limits: sources.limits };
  } catch {
    // A file with roots is being written, or is broken now: what was read before stays.
    return sources;
  }
}

/** Checked although it is typed: the value usually comes from a command line or a file. */
function readMode(mode: ClientRootsMode): ClientRootsMode {
  if (mode === 'replace' || mode === 'add' || mode === 'ignore') return mode;
  throw new RootwardError(
    'invalid-option',
    `Cannot use "${String(mode)}" for client roots: expected "replace", "add" or "ignore"`,
  );
}

function readBadRoots(badRoots: BadRoots | undefined): BadRoots | undefined {
  if (badRoots === undefined || badRoots === 'skip' || badRoots === 'fail') return badRoots;
  throw new RootwardError(
    'invalid-option',
    `Cannot use "${String(badRoots)}" for bad roots: expected "skip" or "fail"`,
  );
}

/** Whether the operator named roots with this source and none of them can be used. Hints do not replace them then. */
export function namesNothingUsable({ source, given, roots }: SourceReading): boolean {
  // Tools may be kept outside the directories they may touch.
  return given && roots.length === 0 && source !== 'project';
}

/** Reasons for which a root may count later. */
const MAY_APPEAR: ReadonlySet<RejectionReason> = new Set<RejectionReason>([
  'not-found',
  'not-readable',
  'not-a-directory-or-file',
]);

function mayAppear({ rejected }: SourceReading): boolean {
  return rejected.some(({ reason }) => MAY_APPEAR.has(reason));
}

function contextOf(options: SourcesOptions): SourceContext {
  return {
    roots: options.roots ?? [],
    directory: options.directory,
    cwd: options.cwd,
    program: options.program,
    project: options.project,
    origins: options.origins ?? {},
    config: options.config ?? [],
    rootsVariable: options.rootsVariable,
    kinds: options.kinds,
    environment: options.environment,
    home: options.home,
    ceiling: undefined,
    style: options.style ?? hostPathStyle,
    disk: options.disk ?? rootsDisk,
    log: options.log ?? silentLogger,
    badRoots: readBadRoots(options.badRoots),
    signal: options.signal,
  };
}

/** One after the other: warnings keep the order of the sources, and there are only a handful of paths. */
async function readAll(
  sources: readonly { read(context: SourceContext): Promise<SourceReading> }[],
  context: SourceContext,
): Promise<readonly SourceReading[]> {
  const readings: SourceReading[] = [];
  for (const source of sources) readings.push(await source.read(context));
  return readings;
}

async function readCeiling(
  within: readonly string[] | undefined,
  context: SourceContext,
): Promise<readonly Root[]> {
  if (within === undefined) return [];
  if (within.length === 0) {
    throw new RootwardError(
      'invalid-option',
      `Cannot use an empty list as a ceiling: name a directory or leave it out (given by ${ceilingOrigin(context)})`,
    );
  }
  const entries = within.map((path) => ({ path }));
  const list = await readPaths('ceiling', entries, context, context.directory);
  failFast(list, ceilingOrigin(context), { ...context, badRoots: 'fail' });
  const file = list.roots.find((root) => root.kind === 'file');
  if (file !== undefined) {
    throw new RootwardError(
      'not-a-directory',
      `Cannot use "${file.declared}" as a ceiling: it is a file (given by ${ceilingOrigin(context)})`,
      { path: file.declared },
    );
  }
  return list.roots;
}

function ceilingOrigin({ origins }: SourceContext): string {
  return origins.within ?? '--within';
}

function describeCeiling(named: readonly Root[], origin: string): SourceReading {
  const list = { roots: named, rejected: [] };
  return { ...list, source: 'ceiling', given: true, detail: `${origin} ${describeNamed(list)}` };
}

function describeSubstitute(winner: SourceReading | undefined, origin: string): string {
  const missing = `${origin} not given`;
  return winner === undefined ? missing : `${missing}; the roots from ${winner.source} take its place`;
}
