import type { Logger } from '../platform/logger.js';
import type { PathEntry } from '../roots/declaration.js';
import { readPathRoots } from '../roots/read-roots.js';
import type { RootKind, RootList, Source } from '../roots/root.js';
import type { RootsDisk } from '../roots/roots-disk.js';
import type { PathStyle } from '../uri/path-style.js';

/** What one source says, whether or not it is needed. */
export interface SourceReading extends RootList {
  readonly source: Source;
  /** It said something, valid or not. */
  readonly given: boolean;
  /** A clause for people, such as "CLAUDE_PROJECT_DIR names /a/b". */
  readonly detail: string;
}

/** A place roots can come from that is read once, at the start. */
export interface RootSource {
  readonly source: Source;
  /** Throws only for a bad value with which the server must not start. */
  read(context: SourceContext): Promise<SourceReading>;
}

/** `roots` of a configuration file, parsed but not yet checked. */
export interface ConfiguredRoots {
  /** The file that contains them; relative paths are relative to its directory. */
  readonly file: string;
  readonly roots: unknown;
}

/** What happens to an operator root that cannot be used: `skip` logs a warning, `fail` stops the start. */
export type BadRoots = 'skip' | 'fail';

/** How messages and the trace name the options: for example, by the command-line flags of the server. */
export interface Origins {
  /** Default `--root`. */
  readonly roots?: string;
  /** Default `--within`. */
  readonly within?: string;
  /** Default `--project`. */
  readonly project?: string;
}

/** A variable of the environment that names roots, beside the usual ones. */
export interface RootsVariable {
  readonly name: string;
  /** The separator between two paths. Default: `:`, on Windows `;`. */
  readonly separator?: string;
}

/** Everything a source may look at. Nothing is taken from the process itself. */
export interface SourceContext {
  /** Directories and files named on the command line. */
  readonly roots: readonly string[];
  /** The directory command-line arguments are relative to. Never a root of its own. */
  readonly directory: string | undefined;
  /** The directory the process was started in. */
  readonly cwd: string | undefined;
  /** The canonical folder of the running program. */
  readonly program: string | undefined;
  /** The tools project. */
  readonly project: string | undefined;
  readonly origins: Origins;
  readonly config: readonly ConfiguredRoots[];
  readonly rootsVariable: RootsVariable | undefined;
  /** Undefined: all kinds. */
  readonly kinds: readonly RootKind[] | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  /** Canonical paths no root may go beyond; undefined when there is no ceiling. */
  readonly ceiling: readonly string[] | undefined;
  readonly style: PathStyle;
  readonly disk: RootsDisk;
  readonly log: Logger;
  /** Undefined: the default of each source. */
  readonly badRoots: BadRoots | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Reads paths for a source; `base` makes relative ones absolute. */
export function readPaths(
  source: Source,
  entries: readonly PathEntry[],
  context: SourceContext,
  base?: string,
): Promise<RootList> {
  return readPathRoots(entries, {
    source,
    home: context.home,
    style: context.style,
    disk: context.disk,
    ...(context.ceiling === undefined ? {} : { ceiling: context.ceiling }),
    ...(context.kinds === undefined ? {} : { kinds: context.kinds }),
    ...(base === undefined ? {} : { base }),
    ...(context.signal === undefined ? {} : { signal: context.signal }),
  });
}

export function absent(source: Source, detail: string): SourceReading {
  return { source, given: false, detail, roots: [], rejected: [] };
}

/** "names /a/b", "names /a and /b", "names 12 paths"; then what was wrong with those that do not count. */
export function describeNamed(list: RootList): string {
  const paths = list.roots.map((root) => root.path);
  const faults = list.rejected.map((rejection) => `${rejection.declared} (${rejection.reason})`);
  const parts: string[] = [];
  if (paths.length > 0) parts.push(`names ${enumerate(paths)}`);
  if (faults.length > 0) parts.push(`${paths.length > 0 ? 'and' : 'names'} unusable ${enumerate(faults)}`);
  return parts.join(' ');
}

const MAX_LISTED = 5;

export function enumerate(items: readonly string[]): string {
  if (items.length > MAX_LISTED)
    return `${items.slice(0, MAX_LISTED).join(', ')} and ${items.length - MAX_LISTED} more`;
  return items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;
}
