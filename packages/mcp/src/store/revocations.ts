import { AsyncLocalStorage } from 'node:async_hooks';
import type { Disposable } from '@rootward/core';
import { Emitter } from '@rootward/core/platform';
import { RootwardMcpError } from '../error.js';
import { keyDigest, type SessionStore } from './session-store.js';
import { hasMore, listText, merge, readList, withoutOld, type RevocationList } from './revocation-list.js';

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
/** How long it is known that something was lifted: longer than a process is away from a store. */
const LIFTED_MS = 24 * HOUR_MS;
const MAX_ATTEMPTS = 20;
/** When a list that could not be read is tried again. */
const RETRY_MS = 250;

/**
 * What was revoked, in all processes that share a store: the list is read at the start and again whenever someone says
 * that it changed, so that asking it costs nothing. A store that forgot something gets it back from those who know.
 */
export class Revocations implements Disposable {
  readonly #store: SessionStore;
  readonly #onerror: ((error: unknown) => void) | undefined;
  readonly #changed = new Emitter();
  readonly #subscription: Disposable;
  #list: RevocationList = new Map();
  readonly #serving = new AsyncLocalStorage<{ problem?: RootwardMcpError }>();
  #isKnown = false;
  #wasKnown = false;
  #reading: Promise<void>;
  #retry: NodeJS.Timeout | undefined;
  /** Why it cannot be read, since it last could. */
  #failure: { readonly code?: string; readonly message: string } | undefined;
  #isDisposed = false;

  constructor(store: SessionStore, onerror?: (error: unknown) => void) {
    this.#store = store;
    this.#onerror = onerror;
    this.#subscription = store.subscribe(KEY, () => this.#readAgain());
    this.#reading = this.#read();
  }

  /** When the list was read, or could not be. */
  async settled(): Promise<void> {
    await this.#reading;
  }

  isRevoked(kind: Revocable, name: string): boolean {
    const entry = this.#list.get(entryName(kind, name));
    return entry !== undefined && !entry.isLifted && Date.now() < entry.until;
  }

  /** Throws `store-unavailable` where the list could not be read since this process started: nobody is let in on luck. */
  async requireRead(): Promise<void> {
    if (this.#wasKnown) return;
    await this.#reading;
    if (this.#wasKnown) return;
    const { code, message } = this.#failure ?? {};
    const reason = code === 'store-unavailable' ? message : 'the list in the session store cannot be read';
    throw new RootwardMcpError('store-unavailable', `Cannot tell what was revoked yet: ${reason}`, {
      instruction: 'Try again in a few seconds',
    });
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
    const until = kind === 'principal' ? LASTS_MS[kind] : Date.now() + LASTS_MS[kind];
    return this.#change(entryName(kind, name), until, false);
  }

  /** Takes a revocation back. */
  lift(kind: Revocable, name: string): Promise<void> {
    return this.#change(entryName(kind, name), Date.now() + LIFTED_MS, true);
  }

  dispose(): void {
    this.#isDisposed = true;
    clearTimeout(this.#retry);
    this.#subscription.dispose();
    this.#changed.clear();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  async #change(name: string, until: number, isLifted: boolean): Promise<void> {
    await this.#write((list) => {
      const turn = (list.get(name)?.turn ?? 0) + 1;
      return new Map(list).set(name, { until, turn, isLifted });
    });
  }

  async #write(change: (list: RevocationList) => RevocationList): Promise<void> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const before = await this.#store.read(KEY);
      const list = change(withoutOld(merge(this.#list, readList(before)), Date.now()));
      if (!(await this.#store.replace(KEY, before, listText(list), Infinity))) continue;
      this.#take(list);
      await this.#store.publish(KEY, '');
      return;
    }
    throw new RootwardMcpError('store-unavailable', 'Cannot revoke: others change the list all the time');
  }

  #take(stored: RevocationList): void {
    this.#list = withoutOld(merge(this.#list, stored), Date.now());
    this.#isKnown = true;
    this.#wasKnown = true;
    this.#changed.fire();
  }

  async #read(): Promise<void> {
    try {
      const stored = readList(await this.#store.read(KEY));
      this.#take(stored);
      // It forgot something, or is in an earlier state.
      if (hasMore(this.#list, stored)) await this.#write((list) => list);
      this.#failure = undefined;
    } catch (error) {
      if (this.#failure === undefined) this.#onerror?.(error);
      this.#failure = error instanceof Error ? error : new Error(String(error));
      this.#isKnown = false;
      if (!this.#isDisposed) this.#retry = setTimeout(() => this.#readAgain(), RETRY_MS).unref();
    }
  }

  #readAgain(): void {
    clearTimeout(this.#retry);
    if (!this.#isDisposed) this.#reading = this.#read();
  }
}

function entryName(kind: Revocable, name: string): string {
  return `${kind} ${keyDigest(name)}`;
}
