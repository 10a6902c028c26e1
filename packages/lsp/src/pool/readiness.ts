import type { Clock } from '@rootward/core';
import { Deferred, within } from '@rootward/core/platform';

/** How long a server counts as loading if it gives no sign of being ready. */
const SILENT_WARM_UP_MS = 5_000;
/** A sign that has not come by then never will: some servers give fewer than there are folders. */
const MAX_LOOK_MS = 60_000;

/** gopls reports a failure as work that goes on until the failure is repaired. */
const FAILURE = /^error\b/i;

/**
 * Whether a server has seen all its files. A first answer can be silently incomplete: pyright gave 4 references, then
 * 108, on 327 files.
 */
export class Readiness {
  readonly #clock: Clock;
  readonly #pattern: RegExp | undefined;
  /** It always reports the work it begins with. */
  readonly #reportsWork: boolean;
  readonly #progress = new Set<number | string>();
  readonly #failures = new Set<number | string>();
  #expected = 0;
  #seen = 0;
  #since: number;
  #expectedAt: number;
  /** One question has waited in vain: the next one must not wait again. */
  #overdue = false;
  /** Work in the background began and ended since it was last given something to look through. */
  #hasWorked = false;
  /** It will never learn about the current folders. */
  #outdated = false;
  #changed = new Deferred();

  constructor(clock: Clock, pattern: RegExp | undefined, reportsWork = false) {
    this.#clock = clock;
    this.#pattern = pattern;
    this.#reportsWork = reportsWork;
    this.#since = clock.now();
    this.#expectedAt = this.#since;
  }

  /** The server was given folders it has to look through. */
  expect(folders: number): void {
    this.#begin(folders);
    this.#expected += folders;
  }

  /**
   * Files came or went: the server will look through these folders again. To be called when no other look is under
   * way, since nothing in a sign tells which look it is about.
   */
  expectAgain(folders: number): void {
    this.#begin(folders);
    this.#expected = Math.max(this.#expected, this.#seen) + folders;
  }

  /** A folder was removed: if the server was still reading it, no sign about it will come. */
  forgive(folders: number): void {
    this.#expected = Math.max(0, this.#expected - folders);
    this.#seen = Math.min(this.#seen, this.#expected);
    this.#announce();
  }

  /** Another server is about to take over, so answers of this one are incomplete. */
  outdate(): void {
    this.#outdated = true;
    this.#announce();
  }

  get isOutdated(): boolean {
    return this.#outdated;
  }

  logged(message: string): void {
    if (this.#pattern?.test(message) !== true) return;
    this.#seen += 1;
    this.#announce();
  }

  progressed(token: number | string, ended: boolean, title = ''): void {
    this.#failures.delete(token);
    if (!ended && FAILURE.test(title)) this.#failures.add(token);
    else if (ended) this.#progress.delete(token);
    else this.#progress.add(token);
    if (this.#pattern === undefined && this.#progress.size === 0) {
      this.#overdue = false;
      this.#hasWorked = true;
    }
    this.#announce();
  }

  /** It has said that it cannot read its files, and not that this is over. */
  get hasFailed(): boolean {
    return this.#failures.size > 0;
  }

  get ready(): boolean {
    if (this.#outdated) return false;
    // Where there is a sign, progress says nothing more: pyright also reports that of answering a question.
    if (this.#pattern !== undefined) return this.#seen >= this.#expected || this.#isOver();
    if (this.#progress.size > 0) return false;
    if (this.#hasWorked) return true;
    return this.#reportsWork ? this.#isOver() : this.#clock.now() - this.#since >= SILENT_WARM_UP_MS;
  }

  /** Whether the server has given a sign that it is not done; one that gives none may be done or not. */
  get isLoading(): boolean {
    if (this.#outdated) return true;
    return this.#givesSign ? !this.ready : this.#progress.size > 0;
  }

  /** Waits for a sign of the server, where it gives one, and says whether it is ready. */
  async wait(milliseconds: number, signal?: AbortSignal): Promise<boolean> {
    const deadline = this.#clock.now() + milliseconds;
    while (!this.#outdated && !this.ready && (this.#givesSign || this.#progress.size > 0)) {
      const left = deadline - this.#clock.now();
      if (left <= 0) this.#overdue = true;
      if (this.#overdue) return false;
      await within(this.#changed.promise, { clock: this.#clock, milliseconds: left, signal });
    }
    return this.ready;
  }

  get #givesSign(): boolean {
    return this.#pattern !== undefined || this.#reportsWork;
  }

  #begin(folders: number): void {
    this.#since = this.#clock.now();
    if (folders === 0) return;
    this.#hasWorked = false;
    if (this.#isOver()) this.#seen = Math.max(this.#seen, this.#expected);
    this.#expectedAt = this.#since;
    this.#overdue = false;
  }

  #isOver(): boolean {
    return this.#clock.now() - this.#expectedAt >= MAX_LOOK_MS;
  }

  #announce(): void {
    this.#changed.resolve();
    this.#changed = new Deferred();
  }
}
