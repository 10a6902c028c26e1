import type { FileEvent, Registration, Unregistration } from 'vscode-languageserver-protocol';
import { containsPath, hostPathStyle, pathToFileUri, type Clock, type Scope } from '@rootward/core';
import { isPassedOver } from './source-files.js';
import { readPatterns, WATCH_METHOD, type FilePattern } from './watch-patterns.js';

/** More files than this are not compared: that would take seconds for each question. */
const MAX_FILES = 20_000;
/**
 * A comparison that took longer than this is repeated only after ten times as long, when this process has changed files,
 * or when an answer must be complete.
 */
const CHEAP_SCAN_MS = 5;
const REST_FACTOR = 10;

/** As the protocol numbers them; its library would be loaded for these three alone. */
const CREATED = 1;
export const CHANGED = 2;
const DELETED = 3;

type Stamps = ReadonlyMap<string, string>;

export interface WatchedFilesOptions {
  readonly clock: Clock;
  /** Told once of each root with too many files: the server learns of changes there in open documents only. */
  readonly tooMany?: (root: string) => void;
  /** The most files compared. */
  readonly limit?: number;
  /** How often this process has changed files: the next comparison must not rest. */
  readonly changesMade?: (() => number) | undefined;
}

export interface ChangesOptions {
  /** Leave nothing for later. */
  readonly thorough: boolean;
  /** The folders the server works in. */
  readonly folders?: readonly string[];
  readonly signal?: AbortSignal | undefined;
}

/**
 * Files a server asked to be told about. They are compared with the disk before a request rather than watched: a
 * watcher on every folder costs more than it saves, and its events may come after the question.
 */
export class WatchedFiles {
  readonly #clock: Clock;
  readonly #tooMany: (root: string) => void;
  readonly #limit: number;
  /** Roots with too many files. Counting these before each question would cost much and change nothing. */
  #tooLarge: ReadonlySet<string> = new Set();
  /** What was looked for, and where, when they were found too large. */
  #looked = '';
  readonly #told = new Set<string>();
  readonly #patterns = new Map<string, readonly FilePattern[]>();
  /** By root, so that a root that comes or goes does not look like files that do. */
  #stamps: ReadonlyMap<string, Stamps> = new Map();
  #restsUntil = 0;
  readonly #changesMade: () => number;
  #changesSeen = 0;
  /** Wall clock, since it is compared with the times of files. */
  readonly #startedAt: number = Date.now();

  constructor({
    clock,
    tooMany = () => undefined,
    limit = MAX_FILES,
    changesMade = () => 0,
  }: WatchedFilesOptions) {
    this.#clock = clock;
    this.#tooMany = tooMany;
    this.#limit = limit;
    this.#changesMade = changesMade;
  }

  register(registration: Registration): void {
    this.#patterns.set(registration.id, readPatterns(registration));
  }

  /** Also compares files that the server did not ask for. */
  watch(globPattern: string): void {
    const registerOptions = { watchers: [{ globPattern }] };
    this.register({ id: globPattern, method: WATCH_METHOD, registerOptions });
  }

  unregister({ id }: Pick<Unregistration, 'id'>): void {
    this.#patterns.delete(id);
  }

  /**
   * What changed since the last time. The first time that is what is younger than the server, which read all else
   * itself: it may have read the folder long before it asked to be told of changes. Unless `thorough`, changes may be
   * left for later where looking for them costs much.
   */
  async changes(
    scope: Scope,
    { thorough, folders = [], signal }: ChangesOptions,
  ): Promise<readonly FileEvent[]> {
    if (this.#patterns.size === 0) return [];
    const changesMade = this.#changesMade();
    const mayRest = !thorough && changesMade === this.#changesSeen;
    if (mayRest && this.#clock.now() < this.#restsUntil) return [];
    const start = this.#clock.now();
    const before = this.#stamps;
    const after = await this.#scan(scope, foldersToScan(scope, folders), signal);
    const end = this.#clock.now();
    this.#restsUntil = end - start > CHEAP_SCAN_MS ? end + (end - start) * REST_FACTOR : end;
    this.#changesSeen = changesMade;
    this.#stamps = after;
    return [...after].flatMap(([root, stamps]) => {
      const known = before.get(root);
      return known === undefined ? this.#newSinceStart(stamps) : compareStamps(known, stamps);
    });
  }

  #newSinceStart(stamps: Stamps): readonly FileEvent[] {
    return [...stamps]
      .filter(([, stamp]) => Number.parseInt(stamp, 10) >= this.#startedAt)
      .map(([path]) => ({ uri: pathToFileUri(path), type: CREATED }));
  }

  async #scan(
    scope: Scope,
    folders: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<ReadonlyMap<string, Stamps>> {
    const patterns = [...this.#patterns.values()].flat();
    const looked = [...this.#patterns.keys(), ...folders].join('\n');
    const skipped = looked === this.#looked ? this.#tooLarge : new Set<string>();
    const tooLarge = new Set<string>(skipped);
    const roots = new Map<string, Stamps>();
    let left = this.#limit;
    for (const folder of folders) {
      if (skipped.has(folder)) continue;
      const stamps = await scanFolder(scope, folder, patterns, left, signal);
      if (stamps === undefined) {
        tooLarge.add(folder);
        continue;
      }
      roots.set(folder, stamps);
      left -= stamps.size;
    }
    this.#looked = looked;
    this.#tooLarge = tooLarge;
    this.#tell(tooLarge);
    return roots;
  }

  #tell(roots: ReadonlySet<string>): void {
    for (const root of roots) {
      if (this.#told.has(root)) continue;
      this.#told.add(root);
      this.#tooMany(root);
    }
  }
}

/** Roots, and of those that are broad the folders the server works in. */
function foldersToScan(scope: Scope, folders: readonly string[]): readonly string[] {
  const roots = scope.roots
    .filter((root) => root.kind === 'directory' && !root.broad)
    .map(({ path }) => path);
  const others = folders.filter(
    (folder) => scope.contains(folder) && !roots.some((root) => containsPath(root, folder, hostPathStyle)),
  );
  return [...roots, ...others];
}

async function scanFolder(
  scope: Scope,
  folder: string,
  patterns: readonly FilePattern[],
  limit: number,
  signal: AbortSignal | undefined,
): Promise<Stamps | undefined> {
  const stamps = new Map<string, string>();
  const options = {
    gitignore: true,
    stats: true,
    filter: ({ name }: { readonly name: string }): boolean => !isPassedOver(name),
    ...(signal !== undefined && { signal }),
  };
  for await (const entry of scope.walk(folder, options)) {
    if (entry.kind !== 'file' || !patterns.some((matches) => matches(folder, entry.relative))) continue;
    if (stamps.size >= limit) return undefined;
    // One that went away while we looked has none, which the comparison will show.
    if (entry.stats !== undefined) {
      const { modified, size } = entry.stats;
      stamps.set(entry.path, `${modified.getTime()} ${size}`);
    }
  }
  return stamps;
}

function compareStamps(before: Stamps, after: Stamps): readonly FileEvent[] {
  const events: FileEvent[] = [];
  for (const [path, stamp] of after) {
    const known = before.get(path);
    if (known === stamp) continue;
    events.push({ uri: pathToFileUri(path), type: known === undefined ? CREATED : CHANGED });
  }
  for (const path of before.keys()) {
    if (!after.has(path)) events.push({ uri: pathToFileUri(path), type: DELETED });
  }
  return events;
}
