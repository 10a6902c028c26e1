import type { Clock } from '../platform/clock.js';

/** Where the caller of one call works, as a hook of its client says. */
export interface CallerBinding {
  /** As it was given. */
  readonly cwd: string;
  /** The sub-agent that calls; empty for the main agent. */
  readonly agent: string;
}

/** By the id of the call. */
export type KeptBindings = Readonly<Record<string, CallerBinding>>;

/** A permission prompt may keep a call waiting; one that takes longer is forgotten. */
const TTL_MS = 30 * 60_000;
/** Calls that are announced and never come are few; the oldest go first. */
const MAX_BINDINGS = 1000;
const MAX_ID_LENGTH = 200;
const MAX_PATH_LENGTH = 4096;

/**
 * What hooks said about future calls, by the id of the call. A binding is used for its own call only, through all of
 * its rounds, and ends with the answer.
 */
export class CallerBindings {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #findElsewhere: ((id: string) => CallerBinding | undefined) | undefined;
  /** Made with the first binding: most connections have none. */
  #bindings: Map<string, CallerBinding & { readonly until: number }> | undefined;
  #used = false;

  /** `findElsewhere`: what was said about a call in another way than through `bind()`. */
  constructor(clock: Pick<Clock, 'now'>, findElsewhere?: (id: string) => CallerBinding | undefined) {
    this.#clock = clock;
    this.#findElsewhere = findElsewhere;
  }

  /** Whether a hook has spoken on this connection. */
  get used(): boolean {
    return this.#used;
  }

  get size(): number {
    return this.#bindings?.size ?? 0;
  }

  /** False for what cannot be a binding. A later one for the same call replaces the first. */
  bind(id: unknown, cwd: unknown, agent: unknown): boolean {
    if (!isText(id, MAX_ID_LENGTH) || !isText(cwd, MAX_PATH_LENGTH)) return false;
    this.#used = true;
    const bindings = (this.#bindings ??= new Map());
    bindings.delete(id);
    const until = this.#clock.now() + TTL_MS;
    bindings.set(id, { cwd, agent: isText(agent, MAX_ID_LENGTH) ? agent : '', until });
    for (const oldest of bindings.keys()) {
      if (bindings.size <= MAX_BINDINGS) break;
      bindings.delete(oldest);
    }
    return true;
  }

  get(id: string): CallerBinding | undefined {
    const binding = this.#bindings?.get(id);
    if (binding !== undefined && this.#clock.now() < binding.until) return binding;
    this.#bindings?.delete(id);
    const found = this.#findElsewhere?.(id);
    if (found === undefined || !this.bind(id, found.cwd, found.agent)) return undefined;
    return this.#bindings?.get(id);
  }

  /** The bindings of calls that are not answered yet, for another process to continue with. */
  keep(): KeptBindings | undefined {
    if (this.#bindings === undefined || this.#bindings.size === 0) return undefined;
    return Object.fromEntries([...this.#bindings].map(([id, { cwd, agent }]) => [id, { cwd, agent }]));
  }

  /** Replaces what was said before. */
  restore(kept: KeptBindings = {}): void {
    this.#bindings?.clear();
    for (const [id, { cwd, agent }] of Object.entries(kept)) this.bind(id, cwd, agent);
  }

  /** The call got its final answer. */
  end(id: string): void {
    this.#bindings?.delete(id);
  }
}

function isText(value: unknown, maxLength: number): value is string {
  return typeof value === 'string' && value !== '' && value.length <= maxLength && !value.includes('\0');
}
