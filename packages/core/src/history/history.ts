import { randomBytes } from 'node:crypto';
import { dirname } from 'node:path';
import { RootwardError } from '../error.js';
import type { Disposable } from '../platform/disposable.js';
import { silentLogger, type Logger } from '../platform/logger.js';
import type { Root } from '../roots/root.js';
import { isWithin } from '../scope/gate/child-path.js';
import { systemPlatform } from '../scope/pin/system.js';
import { ChangeRecorder, ONLY_WHAT_CAN_BE_TAKEN_BACK } from './change-recorder.js';
import { foldChanges, type Change } from './journal/change.js';
import type { Journal } from './journal/journal.js';
import { mergeNewestFirst } from './journal/merge.js';
import type { EntryState } from './journal/entry-state.js';
import { inlineBytes, readKept } from './journal/inline-content.js';
import type { ChangeAbout } from './journal/line.js';
import { defaultHistoryLimits, type HistoryLimits } from './journal/limits.js';
import { journalName, ProjectJournal, type OpenProject } from './journal/project-journal.js';
import type { PruneResult } from './prune/prune-store.js';
import { Surveyed } from './survey/surveyed.js';
import { OpenStore } from './store/open-store.js';

/**
 * If the current state cannot be kept, `best-effort` makes the change anyway and says so once; `required` refuses the
 * change.
 */
export type HistoryMode = 'best-effort' | 'required';

/** What a `History` is made of. */
export interface HistoryOptions {
  /** Where it is kept: a folder of its own in the user's state directory. Made with the first change. */
  readonly directory: string;
  readonly mode?: HistoryMode | undefined;
  readonly limits?: Partial<HistoryLimits> | undefined;
  readonly log?: Logger | undefined;
  readonly now?: (() => number) | undefined;
}

/** How much may be added before the limits are checked again. */
const TIDY_AFTER_BYTES = 32 * 1024 * 1024;
const RANDOM_BYTES = 3;

/**
 * What was there before each change, kept outside the workspace. Several processes may use the same directory at once.
 * Nothing is read or made before the first change or question.
 */
export class History implements Disposable {
  readonly directory: string;
  readonly limits: HistoryLimits;
  readonly #mode: HistoryMode;
  readonly #log: Logger;
  readonly #clock: () => number;
  /** Journals that are written to, by name. */
  readonly #writing = new Map<string, ProjectJournal>();
  /** The journal of each root, remembered because finding it means looking for a repository. */
  readonly #names = new Map<string, string>();
  /** What a survey has kept in this process. */
  readonly surveyed: Surveyed = new Surveyed((hash) => this.#store?.contents.has(hash) === true);
  #store: OpenStore | undefined;
  #complained = false;
  #last = 0;
  /** What tidies up in the background, if anything does. */
  #tidying: { readonly ended: Promise<void>; readonly controller: AbortController } | undefined;
  #tidied = false;

  constructor(options: HistoryOptions) {
    this.directory = options.directory;
    this.limits = { ...defaultHistoryLimits, ...options.limits };
    this.#mode = options.mode ?? 'best-effort';
    this.#log = options.log ?? silentLogger;
    this.#clock = options.now ?? Date.now;
  }

  /**
   * A recorder that keeps all changes made through it as one change, until its `finish()`. The roots say to which
   * project it belongs.
   */
  change(about: ChangeAbout, roots: readonly Root[]): ChangeRecorder {
    return new ChangeRecorder(
      {
        required: this.#mode === 'required',
        maxFileBytes: this.limits.maxFileBytes,
        open: (path, needsStore) => this.#open(path, roots, needsStore),
        newId: () => this.#newId(),
        now: () => this.#now(),
        complain: (error) => this.#complain(error),
        ended: () => this.#tidyUpNowAndThen(),
      },
      about,
    );
  }

  /**
   * The changes of all projects that have to do with these roots, newest first. Returns everything in the journals:
   * the caller leaves out what the reader may not see.
   */
  async *changes(roots: readonly Root[], signal?: AbortSignal): AsyncGenerator<Change, void> {
    const store = this.store();
    if (store === undefined) return;
    const journals = openJournals(store);
    try {
      const related = journals.filter((journal) => isRelated(journal, roots));
      yield* mergeNewestFirst(related.map(({ journal }) => foldChanges(journal.backwards(signal))));
    } finally {
      for (const journal of journals) journal.close();
    }
  }

  /** Where contents and trees are; undefined where nothing was ever kept. */
  store(): OpenStore | undefined {
    if (this.#store?.isGone === true) this.dispose();
    this.#store ??= OpenStore.open(this.directory, systemPlatform(), false);
    return this.#store;
  }

  /** The content of a file in a change that has to do with these roots; undefined where it is not kept, or no longer. */
  async content(
    state: EntryState,
    roots: readonly Root[],
    signal?: AbortSignal,
  ): Promise<Buffer | undefined> {
    const store = this.store();
    if (store === undefined || state.kind !== 'file' || state.hash === undefined) return undefined;
    const kept = await readKept(state, store.contents);
    if (kept !== undefined) return kept;
    const journals = openJournals(store);
    try {
      for (const { journal } of journals.filter((each) => isRelated(each, roots))) {
        const found = await findInline(journal, state.hash, signal);
        if (found !== undefined) return found;
      }
      return undefined;
    } finally {
      for (const journal of journals) journal.close();
    }
  }

  /** Keeps something before a program runs. If that fails, returns undefined or throws, depending on the mode. */
  async attempt<Result>(
    keep: (store: OpenStore) => Result | Promise<Result>,
  ): Promise<Awaited<Result> | undefined> {
    try {
      return await keep(this.#begin());
    } catch (error) {
      if (this.#mode === 'required') {
        const reason = error instanceof Error ? error.message : String(error);
        throw new RootwardError(
          'not-kept',
          `Cannot run the program: what it may change cannot be kept in the history (${reason})`,
          { cause: error, instruction: ONLY_WHAT_CAN_BE_TAKEN_BACK },
        );
      }
      this.#complain(error);
      return undefined;
    }
  }

  /** Enforces the limits now. Undefined while another process does so. */
  async prune(signal?: AbortSignal): Promise<PruneResult | undefined> {
    const { NOTHING_PRUNED, pruneStore } = await import('./prune/prune-store.js');
    signal?.throwIfAborted();
    // Not the store that `dispose()` closes: if it were closed in between, its lock would stay.
    const store = OpenStore.open(this.directory, systemPlatform(), false);
    if (store === undefined) return NOTHING_PRUNED;
    const journals = openJournals(store);
    try {
      return await pruneStore(store, journals, { limits: this.limits, now: this.#clock(), signal });
    } finally {
      for (const journal of journals) journal.close();
      store.close();
    }
  }

  /** Waits for what is tidied up in the background. */
  async settled(): Promise<void> {
    await this.#tidying?.ended;
  }

  /** Closes what is open and stops pruning. Later calls open the store again. */
  dispose(): void {
    this.#tidying?.controller.abort();
    for (const journal of this.#writing.values()) journal.close();
    this.#writing.clear();
    this.#store?.close();
    this.#store = undefined;
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  #open(path: string, roots: readonly Root[], needsStore: boolean): OpenProject {
    const root = deepestRoot(path, roots);
    const name = this.#nameOf(root);
    const isThere = !needsStore && this.#writing.get(name)?.journal.isInPlace === true;
    const store = (isThere ? this.#store : undefined) ?? this.#begin();
    let journal = this.#writing.get(name);
    if (journal === undefined) {
      const directory = store.project(name, true);
      if (directory === undefined) throw new Error(`cannot make a folder in ${this.directory}`);
      journal = new ProjectJournal(directory);
      this.#writing.set(name, journal);
    }
    for (const { path: each } of roots.length > 1 ? roots : [root]) journal.addRoot(each);
    return { journal: journal.journal, contents: store.contents, trees: store.trees };
  }

  #begin(): OpenStore {
    if (this.#store?.isGone === true) this.dispose();
    const store = (this.#store ??= OpenStore.open(this.directory, systemPlatform(), true));
    if (store === undefined) throw new Error(`cannot make ${this.directory}`);
    return store;
  }

  #nameOf(root: Pick<Root, 'path' | 'source'>): string {
    const known = this.#names.get(root.path);
    if (known !== undefined) return known;
    const name = journalName(root);
    this.#names.set(root.path, name);
    return name;
  }

  /** Unique; ids sort by time. */
  #newId(): string {
    return `${this.#now().toString(36)}-${randomBytes(RANDOM_BYTES).toString('hex')}`;
  }

  /** Never runs backwards, even if the clock of the machine does. */
  #now(): number {
    this.#last = Math.max(this.#last, this.#clock());
    return this.#last;
  }

  #complain(error: unknown): void {
    if (this.#complained) return;
    this.#complained = true;
    const reason = error instanceof Error ? error.message : String(error);
    this.#log.warn('changes cannot be kept in the history', { directory: this.directory, reason });
  }

  #tidyUpNowAndThen(): void {
    const store = this.#store;
    if (store === undefined || this.#tidying !== undefined) return;
    if (this.#tidied && store.contents.added + store.trees.added < TIDY_AFTER_BYTES) return;
    this.#tidied = true;
    store.contents.added = 0;
    store.trees.added = 0;
    const controller = new AbortController();
    const ended = this.#tidyUp(controller.signal).finally(() => {
      this.#tidying = undefined;
    });
    this.#tidying = { ended, controller };
  }

  async #tidyUp(signal: AbortSignal): Promise<void> {
    try {
      const { isDue } = await import('./prune/prune-store.js');
      // Undefined after `dispose()`; the store is not opened again for tidying up.
      const store = this.#store;
      if (store !== undefined && isDue(store, this.#clock())) await this.prune(signal);
    } catch (error) {
      this.#log.debug('history not tidied up', { error: String(error) });
    }
  }
}

/** A root that is a single file belongs to the project of the folder it is in. */
function deepestRoot(path: string, roots: readonly Root[]): Pick<Root, 'path' | 'source'> {
  const containing = roots
    .filter((root) => isWithin(path, root.path))
    .toSorted((one, other) => other.path.length - one.path.length);
  const [deepest] = containing;
  if (deepest === undefined) return { path: dirname(path), source: 'flag' };
  return deepest.kind === 'file' ? { path: dirname(deepest.path), source: deepest.source } : deepest;
}

/** A small content that a change wrote is kept in the journal line of the next change, as what was there before it. */
async function findInline(
  journal: Journal,
  hash: string,
  signal: AbortSignal | undefined,
): Promise<Buffer | undefined> {
  for await (const { line } of journal.backwards(signal, hash)) {
    for (const { before } of line.type === 'end' ? [] : line.steps) {
      const bytes = before.kind === 'file' && before.hash === hash ? inlineBytes(before) : undefined;
      if (bytes !== undefined) return bytes;
    }
  }
  return undefined;
}

function openJournals(store: OpenStore): readonly ProjectJournal[] {
  return store.projectNames().flatMap((name) => {
    const directory = store.project(name, false);
    return directory === undefined ? [] : [new ProjectJournal(directory)];
  });
}

function isRelated(journal: ProjectJournal, roots: readonly Root[]): boolean {
  return [...journal.roots()].some((known) =>
    roots.some(({ path }) => isWithin(path, known) || isWithin(known, path)),
  );
}
