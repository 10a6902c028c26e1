import type { Logger } from '../../platform/logger.js';
import type { RootList } from '../../roots/root.js';
import type { ClientState } from '../../sources/client-state.js';
import { readFailure, readResult, type Outcome } from '../../sources/answer.js';
import type { AskCause, Asking, AskingLimits } from './asking-state.js';
import { isAsking, mustWait, restsUntil, wakeAt } from './asking-state.js';
import { step, type AskingEffect, type AskingEvent } from './asking.js';
import type { Clock, Timer } from '../../platform/clock.js';
import { Deferred, unlessAborted } from '../../platform/async.js';
import type { RootsPort } from './roots-port.js';
import type { Counters } from './stats.js';

export interface AskerSetup {
  readonly clock: Clock;
  readonly log: Logger;
  readonly limits: AskingLimits;
  /** The connection to the client, if it lasts for the whole session. */
  readonly port: RootsPort | undefined;
  readonly counters: Counters;
}

export interface AskerOwner {
  /** Looks up the roots of an answer. */
  read(entries: readonly unknown[], signal: AbortSignal): Promise<RootList>;
  /** An answer counts from now on. `disputed` as in `ClientRoots`. */
  applied(list: RootList, disputed: boolean): void;
  /** The client did not answer a question with a list; what it said before stays. */
  failed(): void;
  /** The state of the client changed; the roots stay. */
  clientChanged(): void;
}

/** Options of `Workspace.ready()`. */
export interface WaitOptions {
  readonly signal?: AbortSignal;
  /** A connection to the client that is open only during this call. */
  readonly port?: RootsPort;
}

/** One per call, since two calls may pass the same port. */
interface CallPort {
  readonly port: RootsPort;
}

/** Performs what the pure asking logic decides: sends, aborts, reads, sets the one timer, lets waiting calls go. */
export class Asker {
  /** Until when there is neither anything to ask nor to wait for. */
  restsUntil: number;
  readonly #setup: AskerSetup;
  readonly #owner: AskerOwner;
  #state: Asking;
  /** Of the newest request; older ones are aborted by then. */
  #controller: AbortController | undefined;
  #reading: Promise<boolean> | undefined;
  /** The list that was just looked up, while its event is dispatched. */
  #list: RootList | undefined;
  #timer: Timer | undefined;
  #timerAt: number | undefined;
  #waiting: Deferred | undefined;
  #callPorts: Set<CallPort> | undefined;
  #carrier: CallPort | undefined;
  #disposed = false;

  constructor(setup: AskerSetup, owner: AskerOwner, initial: Asking) {
    this.#setup = setup;
    this.#owner = owner;
    this.#state = initial;
    this.restsUntil = restsUntil(initial);
  }

  get client(): ClientState {
    return this.#state.client;
  }

  /** Whether a client is silent because a request or its answer was lost, not because it was too slow. */
  get lost(): boolean {
    return this.#state.lost;
  }

  /** Whether a question is due or under way whose answer would be newer than what is known. */
  get isAsking(): boolean {
    return isAsking(this.#state);
  }

  /** Whether an answer to a question has come and is being looked up. */
  get isReading(): boolean {
    const { open } = this.#state;
    return open?.reading === true && open.handed === undefined;
  }

  /** Asks if that is due; the promise, if any, settles when the call need not wait any longer. */
  want({ port, signal }: WaitOptions): Promise<void> | undefined {
    const ticket = port === undefined ? undefined : { port };
    if (ticket !== undefined) (this.#callPorts ??= new Set()).add(ticket);
    this.dispatch({ type: 'wanted' });
    if (!mustWait(this.#state, this.#hasPort())) {
      if (ticket !== undefined) this.#callPorts?.delete(ticket);
      return undefined;
    }
    this.#waiting ??= new Deferred();
    const { promise } = this.#waiting;
    return ticket === undefined && signal === undefined ? promise : this.#waitWith(promise, ticket, signal);
  }

  /** When the latest answer has been looked up, however long that takes; false if that is not possible. */
  async read(): Promise<boolean> {
    return (await this.#reading) ?? true;
  }

  dispatch(event: AskingEvent): void {
    if (this.#disposed) return;
    const now = this.#setup.clock.now();
    const { client } = this.#state;
    const context = { now, port: this.#hasPort(), limits: this.#setup.limits };
    const { state, effects } = step(this.#state, event, context);
    this.#state = state;
    this.restsUntil = restsUntil(state);
    const applies = effects.some(({ type }) => type === 'apply');
    if (state.client !== client && !applies) this.#owner.clientChanged();
    for (const effect of effects) this.#perform(effect, now);
    if (!mustWait(this.#state, this.#hasPort())) this.#release();
    this.#schedule();
  }

  dispose(): void {
    if (this.#disposed) return;
    this.dispatch({ type: 'disposed' });
    this.#disposed = true;
    this.#callPorts = undefined;
    this.#carrier = undefined;
  }

  async #waitWith(
    promise: Promise<void>,
    ticket: CallPort | undefined,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    try {
      await unlessAborted(promise, signal);
    } catch (error) {
      if (ticket !== undefined) this.#withdraw(ticket);
      throw error;
    } finally {
      if (ticket !== undefined) this.#callPorts?.delete(ticket);
    }
  }

  /** The stream that carried a request ends with its call, so another call must ask again. */
  #withdraw(ticket: CallPort): void {
    this.#callPorts?.delete(ticket);
    if (ticket !== this.#carrier) return;
    this.#carrier = undefined;
    this.dispatch({ type: 'withdrawn', generation: this.#state.generation });
  }

  #perform(effect: AskingEffect, now: number): void {
    const { log, counters } = this.#setup;
    switch (effect.type) {
      case 'ask':
        void this.#ask(effect.generation, effect.cause);
        return;
      case 'abort':
        this.#controller?.abort();
        this.#controller = undefined;
        return;
      case 'read':
        this.#reading = this.#read(effect.generation, effect.entries);
        return;
      case 'apply':
        this.#apply(effect, now);
        return;
      case 'fail':
        counters.fail(effect.kind);
        log.debug('roots request failed', {
          generation: effect.generation,
          kind: effect.kind,
          detail: effect.detail,
        });
        // An answer came where it could not be looked up, so it is still worth asking.
        if (effect.kind !== 'unreadable') this.#owner.failed();
        return;
      case 'drop':
        log.debug('roots answer dropped', {
          generation: effect.generation,
          newest: this.#state.generation,
          reason:
            effect.generation < this.#state.generation ? 'a newer request was sent' : 'no longer awaited',
        });
        return;
      case 'coalesce':
        counters.coalesced += 1;
        return;
      case 'release':
        this.#release();
    }
  }

  async #ask(generation: number, cause: AskCause): Promise<void> {
    // A listener or port may have moved the state on, or ended it, while earlier effects were performed.
    if (generation !== this.#state.generation || this.#state.open === undefined) return;
    const port = this.#choosePort();
    if (port === undefined) return;
    const controller = new AbortController();
    this.#controller = controller;
    this.#setup.counters.requests += 1;
    this.#setup.log.debug('roots request sent', { generation, cause });
    const outcome = await ask(port, controller.signal);
    this.dispatch({ type: 'answered', generation, outcome });
  }

  async #read(generation: number, entries: readonly unknown[]): Promise<boolean> {
    this.#controller ??= new AbortController();
    try {
      const list = await this.#owner.read(entries, this.#controller.signal);
      this.#list = list;
      this.dispatch({ type: 'read', generation, empty: entries.length === 0 });
      this.#list = undefined;
      return true;
    } catch (error) {
      this.dispatch({ type: 'unreadable', generation, detail: String(error) });
      return this.#disposed || generation !== this.#state.generation;
    }
  }

  #apply(effect: Extract<AskingEffect, { type: 'apply' }>, now: number): void {
    const { generation, sentAt, changedAt, disputed } = effect;
    const list = this.#list;
    if (list === undefined) return;
    this.#controller = undefined;
    this.#carrier = undefined;
    this.#setup.counters.applied(changedAt === undefined ? undefined : now - changedAt);
    this.#setup.log.debug('roots answer applied', {
      source: 'client',
      generation,
      count: list.roots.length,
      rejected: list.rejected.length,
      milliseconds: Math.round(now - sentAt),
    });
    this.#owner.applied(list, disputed);
  }

  #hasPort(): boolean {
    return this.#setup.port !== undefined || (this.#callPorts !== undefined && this.#callPorts.size > 0);
  }

  #choosePort(): RootsPort | undefined {
    if (this.#setup.port !== undefined) return this.#setup.port;
    // The latest call is the one most likely to last.
    this.#carrier = this.#callPorts === undefined ? undefined : [...this.#callPorts].at(-1);
    return this.#carrier?.port;
  }

  #release(): void {
    this.#waiting?.resolve();
    this.#waiting = undefined;
  }

  #schedule(): void {
    const { clock, limits } = this.#setup;
    const at = wakeAt(this.#state, this.#hasPort(), limits);
    if (at === this.#timerAt) return;
    this.#timer?.clear();
    this.#timer = undefined;
    this.#timerAt = at;
    if (at === undefined) return;
    this.#timer = clock.setTimeout(() => this.#wake(), Math.max(0, Math.ceil(at - clock.now())));
  }

  #wake(): void {
    this.#timer = undefined;
    this.#timerAt = undefined;
    this.dispatch({ type: 'tick' });
  }
}

async function ask(port: RootsPort, signal: AbortSignal): Promise<Outcome> {
  try {
    return readResult(await port.ask(signal));
  } catch (error) {
    return readFailure(error);
  }
}
