import { readdirSync, statSync, watch, type FSWatcher } from 'node:fs';
import { dirname, join } from 'node:path';
import { disposable, Emitter } from '@rootward/core/platform';
import type { Logger } from '@rootward/core';
import { TOOLS_FOLDER } from '../catalogue/discover-tools.js';
import { describeProblem } from '../catalogue/executable-tool.js';
import { PROMPTS_FOLDER, RESOURCES_FOLDER } from './discover-content.js';
import { discoverProject, type Discovery } from './discover-project.js';
import { PAGES_FOLDER } from './pages.js';
import { SERVER_FOLDER, type Registrations } from './registrations.js';

export interface ToolCatalogueOptions {
  /** The canonical folder of the tools project. */
  readonly project: string;
  /** Names that the server itself uses. */
  readonly reservedNames?: ReadonlySet<string>;
  /** What `server.d/register.sh` printed at the start. */
  readonly hook?: Registrations | undefined;
  readonly log: Logger;
}

const WATCHED = [TOOLS_FOLDER, RESOURCES_FOLDER, PROMPTS_FOLDER, PAGES_FOLDER, SERVER_FOLDER];
/** An editor writes a file in several steps; one look after the last of them is enough. */
const SETTLE_MS = 50;

interface Watched {
  readonly watcher: FSWatcher;
  /** Of what is watched: under the same name there may be another folder by now, as after a change of branches. */
  readonly inode: number;
}

/** The tools of a project as they are now. */
export class ToolCatalogue implements Disposable {
  readonly project: string;
  readonly #options: ToolCatalogueOptions;
  readonly #changes = new Emitter<Discovery>((error) => this.#report(error));
  readonly #resourceChanges = new Emitter<string>((error) => this.#report(error));
  /** Of the file behind each resource, as it was at the last look. */
  #stamps: ReadonlyMap<string, string> = new Map();
  readonly #watchers = new Map<string, Watched>();
  readonly #told = new Set<string>();
  #current: Discovery;
  #fingerprint: string;
  #timer: NodeJS.Timeout | undefined;
  #looking = false;
  #again = false;
  #disposed = false;

  private constructor(options: ToolCatalogueOptions, first: Discovery) {
    this.project = options.project;
    this.#options = options;
    this.#current = first;
    this.#fingerprint = JSON.stringify(first);
    this.#tell(first);
  }

  static async open(options: ToolCatalogueOptions): Promise<ToolCatalogue> {
    return new ToolCatalogue(options, await discoverProject(options.project, options));
  }

  current(): Discovery {
    return this.#current;
  }

  /** The folder is watched while there are listeners. */
  onDidChange(listener: (discovery: Discovery) => void): Disposable {
    return this.#listen(this.#changes, listener);
  }

  /** Reports the address of a resource when its file changes, as far as the system notices. */
  onDidChangeResource(listener: (uri: string) => void): Disposable {
    if (this.#resourceChanges.size === 0) this.#stamps = stampsOf(this.#current);
    return this.#listen(this.#resourceChanges, listener);
  }

  get #isHeard(): boolean {
    return this.#changes.size + this.#resourceChanges.size > 0;
  }

  #listen<Event>(emitter: Emitter<Event>, listener: (event: Event) => void): Disposable {
    const wasHeard = this.#isHeard;
    const added = emitter.add(listener);
    this.#watchAll();
    // Something may have changed while nobody listened.
    if (!wasHeard) void this.refresh();
    return disposable(() => {
      added.dispose();
      if (!this.#isHeard) this.#unwatchAll();
    });
  }

  /** Looks again, and announces what is different. */
  async refresh(): Promise<void> {
    if (this.#looking) {
      this.#again = true;
      return;
    }
    this.#looking = true;
    try {
      do {
        this.#again = false;
        // First, so that no change goes by between the look and the watch.
        this.#watchAll();
        const found = await discoverProject(this.#options.project, this.#options);
        if (this.#disposed) return;
        this.#apply(found);
        this.#tellOfFiles();
      } while (this.#again);
    } finally {
      this.#looking = false;
    }
  }

  dispose(): void {
    this.#disposed = true;
    this.#changes.clear();
    this.#resourceChanges.clear();
    this.#unwatchAll();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  #apply(found: Discovery): void {
    const fingerprint = JSON.stringify(found);
    if (fingerprint === this.#fingerprint) return;
    this.#fingerprint = fingerprint;
    this.#current = found;
    this.#tell(found);
    this.#changes.fire(found);
  }

  #tellOfFiles(): void {
    if (this.#resourceChanges.size === 0) return;
    const before = this.#stamps;
    this.#stamps = stampsOf(this.#current);
    for (const [uri, stamp] of this.#stamps) {
      if (!before.has(uri) || before.get(uri) === stamp) continue;
      this.#resourceChanges.fire(uri);
    }
  }

  #report(error: unknown): void {
    this.#options.log.warn('a change of the tools project could not be applied', { error: String(error) });
  }

  /** Each problem once. */
  #tell({ problems }: Discovery): void {
    for (const problem of problems) {
      const message = describeProblem(problem);
      if (this.#told.has(message)) continue;
      this.#told.add(message);
      this.#options.log.warn(message);
    }
  }

  /**
   * The project itself, for a `tools/` that is made later; `tools/`; and what is in it, since any folder may become a
   * tool.
   */
  #watchAll(): void {
    if (!this.#isHeard) return;
    const { project } = this.#options;
    const folders = WATCHED.map((name) => join(project, name));
    const wanted = new Set([
      project,
      ...folders,
      ...folders.flatMap((folder) => foldersIn(folder)),
      ...this.#current.problems.map(({ file }) => file),
      ...(this.#resourceChanges.size === 0 ? [] : filesOf(this.#current).map(([, file]) => dirname(file))),
    ]);
    for (const [path, { watcher, inode }] of this.#watchers) {
      if (wanted.has(path) && inodeOf(path) === inode) continue;
      watcher.close();
      this.#watchers.delete(path);
    }
    for (const path of wanted) this.#watch(path);
  }

  #watch(path: string): void {
    const inode = inodeOf(path);
    if (inode === undefined || this.#watchers.has(path)) return;
    try {
      const watcher = watch(path, { persistent: false }, () => this.#onEvent());
      watcher.on('error', () => {
        watcher.close();
        this.#watchers.delete(path);
      });
      this.#watchers.set(path, { watcher, inode });
    } catch {
      // Not there, or too many watches: what cannot be watched is seen at the next look.
    }
  }

  #onEvent(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.refresh(), SETTLE_MS);
    this.#timer.unref();
  }

  #unwatchAll(): void {
    clearTimeout(this.#timer);
    for (const { watcher } of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }
}

/** Links included: they may lead to folders. */
function foldersIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => !entry.name.startsWith('.') && !entry.isFile())
      .map(({ name }) => join(folder, name));
  } catch {
    return [];
  }
}

/** Each resource that is a file. */
function filesOf({ resources }: Discovery): readonly (readonly [uri: string, file: string])[] {
  return resources.flatMap(({ uri, file }) => (file === undefined ? [] : [[uri, file] as const]));
}

function stampsOf(discovery: Discovery): ReadonlyMap<string, string> {
  return new Map(filesOf(discovery).map(([uri, file]) => [uri, stampOf(file)]));
}

function stampOf(file: string): string {
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    return found === undefined ? '' : `${found.ino} ${found.size} ${found.mtimeMs}`;
  } catch {
    return '';
  }
}

function inodeOf(path: string): number | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })?.ino;
  } catch {
    return undefined;
  }
}
