import { AsyncLocalStorage } from 'node:async_hooks';
import type { Disposable } from '@rootward/core';
import { Emitter } from '@rootward/core/platform';
import { RootwardMcpError } from '../error.js';
import { keyDigest, type SessionStore } from './session-store.js';
import { storedFields, storedText } from './stored-value.js';

/** What can be revoked. */
export type Revocable = 'handle' | 'session' | 'principal';

const KEY = 'revoked';
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** As long as what is revoked could live: handles ten minutes, idle sessions half an hour; a principal, until lifted. */
const LASTS_MS: Readonly<Record<Revocable, number>> = {
  handle: 15 * MINUTE_MS,
  session: 24 * HOUR_MS,
  principal: Number.MAX_SAFE_INTEGER,
};
/** Of the list as a whole. */
const KEPT_MS = 10 * 365 * 24 * HOUR_MS;
const MAX_ATTEMPTS = 20;

/**
 * What was revoked, in all processes that share a store: the list is read at the start and again whenever someone says
 * that it changed, so that asking it costs nothing.
 */
export class Revocations implements Disposable {
  readonly #store: SessionStore;
  readonly #onerror: ((error: unknown) => void) | undefined;
  readonly #changed = new Emitter();
  readonly #subscription: Disposable;
  #until: ReadonlyMap<string, number> = new Map();
  readonly #serving = new AsyncLocalStorage<{ problem?: RootwardMcpError }>();
  #isKnown = false;
  #reading: Promise<void>;

  constructor(store: SessionStore, onerror?: (error: unknown) => void) {
    this.#store = store;
    this.#onerror = onerror;
    this.#subscription = store.subscribe(KEY, () => {
      this.#reading = this.#read();
    });
    this.#reading = this.#read();
  }

  /** When the list was read, or could not be. */
  async settled(): Promise<void> {
    await this.#reading;
  }

  isRevoked(kind: Revocable, name: string): boolean {
    const until = this.#until.get(entryName(kind, name));
    return until !== undefined && Date.now() < until;
  }

  /** Throws `store-unavailable` where it cannot be told what was revoked lately, and `revoked` for what was. */
  requireValid(kind: Revocable, name: string): void {
    if (!this.#isKnown || !this.#store.ready) {
      const problem = new RootwardMcpError(
        'store-unavailable',
        `Cannot tell whether the ${kind} was revoked: the session store cannot be used`,
        { instruction: 'Try again in a few seconds' },
      );
      const serving = this.#serving.getStore();
      if (serving !== undefined) serving.problem = problem;
      throw problem;
    }
    if (this.isRevoked(kind, name)) {
      throw new RootwardMcpError('revoked', `Cannot use the ${kind}: it was revoked`, {
        instruction: 'Ask the operator of the server',
      });
    }
  }

  /** Serves a request. Throws what `requireValid` threw meanwhile for want of the store, whoever caught that. */
  async serve(act: () => Promise<Response>): Promise<Response> {
    const serving: { problem?: RootwardMcpError } = {};
    const response = await this.#serving.run(serving, act);
    if (serving.problem === undefined) return response;
    await response.body?.cancel();
    throw serving.problem;
  }

  /** Told whenever the list is another one. */
  onDidChange(listener: () => void): Disposable {
    return this.#changed.add(listener);
  }

  revoke(kind: Revocable, name: string): Promise<void> {
    return this.#change((entries) => {
      entries[entryName(kind, name)] = kind === 'principal' ? LASTS_MS[kind] : Date.now() + LASTS_MS[kind];
    });
  }

  /** Takes a revocation back. */
  lift(kind: Revocable, name: string): Promise<void> {
    return this.#change((entries) => {
      delete entries[entryName(kind, name)];
    });
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#changed.clear();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  async #change(change: (entries: Record<string, number>) => void): Promise<void> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const before = await this.#store.read(KEY);
      const entries = Object.fromEntries([...readEntries(before)].filter(([, until]) => Date.now() < until));
      change(entries);
      if (!(await this.#store.replace(KEY, before, storedText({ entries }), KEPT_MS))) continue;
      await this.#store.publish(KEY, '');
      return;
    }
    throw new RootwardMcpError('store-unavailable', 'Cannot revoke: others change the list all the time');
  }

  async #read(): Promise<void> {
    try {
      this.#until = readEntries(await this.#store.read(KEY));
      this.#isKnown = true;
      this.#changed.fire();
    } catch (error) {
      this.#isKnown = false;
      this.#onerror?.(error);
    }
  }
}

function entryName(kind: Revocable, name: string): string {
  return `${kind} ${keyDigest(name)}`;
}

function readEntries(text: string | undefined): ReadonlyMap<string, number> {
  const { entries = {} } = text === undefined ? {} : storedFields(text);
  if (typeof entries !== 'object' || entries === null) {
    throw new RootwardMcpError('store-invalid', 'Cannot read what was revoked: it is not a list');
  }
  return new Map(Object.entries(entries).map(([name, until]) => [name, Number(until)]));
}
