import type { Root } from '@rootward/core';
import { isObject } from '@rootward/core/platform';
import { RootwardWrapError } from '../error.js';
import { InnerEra } from '../inner/era-bridge.js';
import type { Instance } from '../inner/instance.js';
import { Keeper } from '../inner/keeper.js';
import type { CallRoots, RootsAnswer } from '../roots/call-roots.js';
import { LegacyRoots } from '../roots/legacy-roots.js';
import { ModernRoots } from '../roots/modern-roots.js';
import { asksBack } from '../wire/envelope.js';
import type { RawMessage } from '../wire/raw-message.js';
import { fail, hiddenTool, lostCall, NO_ROOTS, refuse, refusalOf } from './answers.js';
import { CallWatch, type EndWatch } from './call-watch.js';
import { CallerTool } from './caller-tool.js';
import { ClientAnswers } from './client-answers.js';
import { declarationOf, introduceTo, Introduction, INTRODUCTORY, REQUESTS_ONLY } from './introduction.js';
import { launchFor } from './launch-for.js';
import { Questions, type Outer } from './outer.js';
import { ObservedSession } from './observed-session.js';
import { RunningCalls } from './running-calls.js';
import { ServerQuestions } from './server-questions.js';
import type { SessionOptions } from './session-options.js';
import { isSameRoots, SideServers } from './side-servers.js';

/** If more bytes wait for one side, the other side is not read. */
const MAX_BACKLOG_BYTES: number = 4 * 1024 * 1024;
const LIST_CHANGED = /^notifications\/\w+\/list_changed$/;
const INVALID_REQUEST = -32_600;
const INTERNAL_ERROR = -32_603;

const SUBSCRIBING: ReadonlySet<string> = new Set(['resources/subscribe', 'resources/unsubscribe']);
/** Requests that a server which is started again has to be told again. */
const LEAVES_TRACE: ReadonlySet<string> = new Set([...SUBSCRIBING, 'logging/setLevel']);

/** The server that a request goes to; undefined where there are no folders. */
type Route = Keeper | undefined;

/**
 * One client and the server that was put behind it. Both sides speak the legacy era here, as raw messages: what needs
 * no change is passed on as it is.
 */
export class Session {
  readonly #outer: Outer;
  readonly #options: SessionOptions;
  readonly #questions: Questions;
  readonly #main: Keeper;
  readonly #sides: SideServers;
  readonly #opening: Promise<CallRoots>;
  readonly #running = new RunningCalls();
  /** Those that wait for roots or for a server. */
  readonly #waiting = new Map<string, { cancelled: boolean }>();
  readonly #serverQuestions: ServerQuestions;
  readonly #lane: Lane;
  readonly #watch: CallWatch;
  readonly #answers: ClientAnswers;
  readonly #seen: ObservedSession;
  readonly #innerEra: InnerEra;
  #introducing = false;
  /** Until the client has said which folders it has, or that it has none. */
  #awaitsRoots = true;
  #startsHere = false;
  #introduction: Introduction | undefined;
  #connection: CallRoots | undefined;
  /** The same, where they are ours to dispose of. */
  #roots: CallRoots | undefined;
  #closed = false;

  constructor(outer: Outer, options: SessionOptions) {
    this.#outer = outer;
    this.#options = options;
    this.#questions = new Questions(outer);
    this.#serverQuestions = new ServerQuestions(this.#questions);
    this.#lane = new Lane((error) => options.log.debug('message not passed on', { error: String(error) }));
    this.#watch = new CallWatch(options);
    this.#answers = new ClientAnswers(options.filter, this.#watch);
    this.#seen = new ObservedSession(options);
    this.#innerEra = options.innerEra ?? new InnerEra(options.era);
    this.#main = this.#keeper();
    this.#sides = new SideServers(() => this.#keeper());
    this.#opening = this.#open();
    this.#opening.then(
      (roots) => this.#closed || this.#seen.open(roots),
      (error: unknown) => options.log.warn('workspace not opened', { error: String(error) }),
    );
  }

  /** A message of the client; `answer` is what a request of the modern era says about roots. */
  receive(message: RawMessage, answer?: RootsAnswer): void {
    if (this.#closed) return;
    switch (message.kind) {
      case 'answer':
        if (!this.#questions.settle(message)) this.#options.log.debug('answer dropped: nothing was asked');
        return;
      case 'notification':
        this.#notified(message);
        return;
      case 'request':
        this.#requested(message, answer);
    }
  }

  /** Whether a request of a client that declares roots has to bring an answer along. Known after the introduction. */
  get asksForRoots(): boolean {
    return this.#roots?.asksInCalls === true;
  }

  /** Whether the server is spoken to in the modern era. Known once it has introduced itself. */
  get isModernInside(): boolean {
    return this.#innerEra.isModern;
  }

  /** Whether a request of the client has no answer yet. */
  get busy(): boolean {
    return this.#running.size > 0 || this.#waiting.size > 0 || this.#introducing;
  }

  pause(): void {
    for (const instance of this.#instances()) instance.pause();
  }

  resume(): void {
    for (const instance of this.#instances()) instance.resume();
  }

  /** Resolves when what calls changed that were cut off is noted. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#main.close('the connection is closed');
    this.#sides.close('the connection is closed');
    this.#roots?.dispose();
    this.#seen.close();
    await this.#running.endWatches();
  }

  async #open(): Promise<CallRoots> {
    const { prepared, transport, era, roots: given } = this.#options;
    this.#sides.obey((await prepared.sources(transport)).limits);
    if (given !== undefined) {
      this.#connection = given;
      return given;
    }
    const onChange = (roots: readonly Root[], isRemoval: boolean): void => {
      this.#main.change(roots, isRemoval);
      this.#seen.changed();
      this.#startAhead();
    };
    const port = {
      ask: (signal: AbortSignal): Promise<unknown> => this.#questions.ask('roots/list', signal),
    };
    const opened = await (era === 'legacy'
      ? LegacyRoots.open(prepared, transport, port, onChange)
      : ModernRoots.open(prepared, transport, onChange));
    this.#connection = opened;
    this.#roots = opened;
    if (this.#closed) opened.dispose();
    return opened;
  }

  #keeper(): Keeper {
    const { policy, children, noise, contain, shown } = this.#options;
    return new Keeper({
      policy,
      children,
      era: this.#innerEra,
      contain,
      shown,
      launch: (roots) => launchFor(this.#options, roots, this.#startsHere),
      introduce: (instance) => introduceTo(instance, this.#introduction),
      replaced: (instance) => this.#announce(instance),
      crashed: (error) => {
        this.#answers.crash = error.message;
      },
      events: {
        request: (message, instance) =>
          this.#serverQuestions.put(message, instance, this.#running.oldestOf(instance)),
        notification: (message, instance) => this.#told(message, instance),
        left: (instance) => this.#serverQuestions.withdraw(instance),
        noise,
      },
    });
  }

  #notified(message: RawMessage): void {
    switch (message.method ?? '') {
      case 'notifications/initialized':
        this.#introduction?.finish(message);
        this.#main.instance?.initialized(message);
        void this.#findRoots();
        return;
      case 'notifications/roots/list_changed':
        this.#roots?.changed();
        return;
      case 'notifications/cancelled':
        this.#cancelled(message);
        return;
      case 'notifications/progress':
        (this.#serverQuestions.ownerOf(message.raw('params', 'progressToken')) ?? this.#main.instance)?.send([
          message.bytes,
        ]);
        return;
      default:
        if (REQUESTS_ONLY.test(message.method ?? '')) {
          this.#options.log.debug('message dropped: a request without an id');
          return;
        }
        this.#lane.add(() => this.#main.use((instance) => instance.send([message.bytes])));
    }
  }

  #requested(message: RawMessage, answer: RootsAnswer | undefined): void {
    const { id = 'null', method = '' } = message;
    if (method === 'initialize') {
      void this.#initialize(message, id);
    } else if (this.#introduction === undefined) {
      this.#outer.send(
        fail(id, INVALID_REQUEST, 'Cannot serve the request: the client has not introduced itself'),
      );
    } else if (this.#answers.callerTool?.serve(message, this.#outer) !== true) {
      const waiting = { cancelled: false };
      this.#waiting.set(id, waiting);
      const run = (): Promise<void> | undefined => this.#serve(message, id, method, waiting, answer);
      if (INTRODUCTORY.has(method)) void run();
      else this.#lane.add(run);
    }
  }

  async #initialize(message: RawMessage, id: string): Promise<void> {
    this.#introducing = true;
    try {
      const connection = await this.#opening;
      this.#introduction = new Introduction(message);
      const declaration = declarationOf(message);
      const { mustAsk } = connection.declare(declaration);
      const client = declaration.clientInfo;
      this.#watch.client = client?.name;
      this.#seen.introduced(client);
      this.#answers.callerTool = CallerTool.wantedBy(client?.name, connection.callers);
      const known = connection.current();
      if (!mustAsk && known.length > 0) this.#main.settle(known);
      const instance = await this.#main.acquireFirst(() => {
        const isNew = !this.#startsHere;
        this.#startsHere = true;
        return isNew;
      });
      const answer = this.#introduction.answerOf(instance);
      if (answer === undefined) throw new RootwardWrapError('no-answer', 'it did not introduce itself');
      this.#introducing = false;
      this.#outer.send(this.#answers.introduction(answer, id, client?.name), id);
    } catch (error) {
      this.#introducing = false;
      this.#options.log.debug('server not introduced', { error: String(error) });
      const reason = error instanceof Error ? error.message : String(error);
      this.#outer.send(fail(id, INTERNAL_ERROR, `Cannot start the server: ${reason}`), id);
    }
  }

  /** The client may be asked for its roots now; the server is restarted there before someone calls it. */
  async #findRoots(): Promise<void> {
    const { log } = this.#options;
    try {
      const roots = await (await this.#opening).begin();
      if (roots.length === 0) {
        this.#awaitsRoots = false;
        if (this.#main.instance?.provisional === true) this.#announce(this.#main.instance);
        return;
      }
      this.#main.settle(roots);
      this.#startAhead();
    } catch (error) {
      log.debug('server not started ahead', { error: String(error) });
    }
  }

  /** Started now, so that the next call need not wait. */
  #startAhead(): void {
    if (this.#introduction === undefined || this.#closed) return;
    this.#main.acquire().catch((error: unknown) => {
      this.#options.log.debug('server not started ahead', { error: String(error) });
    });
  }

  /** A promise only where something has to be waited for: most requests are with the server when this returns. */
  #serve(
    message: RawMessage,
    id: string,
    method: string,
    waiting: { cancelled: boolean },
    answer: RootsAnswer | undefined,
  ): Promise<void> | undefined {
    const { filter } = this.#options;
    if (method === 'tools/call' && filter.active) {
      const name = message.value('params', 'name');
      if (!filter.allows(name)) {
        this.#waiting.delete(id);
        this.#seen.refused(message, 'hidden-tool');
        this.#outer.send(refuse(id, method, hiddenTool(String(name))), id);
        return undefined;
      }
    }
    const meta: unknown = message.value('params', '_meta');
    try {
      const route = this.#route(meta, method, answer);
      const ready = route instanceof Keeper && !this.#isWatched(message) ? route.ready : undefined;
      if (ready === undefined || waiting.cancelled)
        return this.#serveLater(message, id, meta, route, waiting);
      this.#waiting.delete(id);
      this.#forward(message, id, ready, meta);
    } catch (error) {
      this.#waiting.delete(id);
      this.#outer.send(refuse(id, method, refusalOf(error)), id);
    }
    return undefined;
  }

  #isWatched(message: RawMessage): boolean {
    return this.#options.watch !== undefined && this.#watch.watches(message);
  }

  /** The server that a request goes to: that of the connection, or one for the folders that a call works in. */
  #route(meta: unknown, method: string, answer: RootsAnswer | undefined): Route | Promise<Route> {
    if (INTRODUCTORY.has(method)) return this.#main;
    const connection = this.#connection;
    if (connection === undefined) return this.#opening.then(() => this.#route(meta, method, answer));
    // Such a client does not subscribe in a request of its own, and listens to the server in place.
    if (connection.asksInCalls === true && SUBSCRIBING.has(method)) return this.#main;
    const roots = connection.forCall(meta, answer);
    return roots instanceof Promise
      ? roots.then((later) => this.#keeperOf(later, connection))
      : this.#keeperOf(roots, connection);
  }

  #keeperOf(roots: readonly Root[], connection: CallRoots): Route {
    if (roots.length === 0) return undefined;
    const current = connection.current();
    if (roots !== current && !isSameRoots(roots, current)) return this.#sides.for(roots);
    this.#main.settle(roots);
    return this.#main;
  }

  async #serveLater(
    message: RawMessage,
    id: string,
    meta: unknown,
    route: Route | Promise<Route>,
    waiting: { readonly cancelled: boolean },
  ): Promise<void> {
    const { method = '' } = message;
    try {
      const keeper = await route;
      if (keeper === undefined) {
        this.#seen.refused(message, 'no-roots');
        if (!waiting.cancelled) this.#outer.send(refuse(id, method, NO_ROOTS), id);
        return;
      }
      const first = await keeper.acquire();
      const endWatch = await this.#watch.begin(message, first.roots);
      // Looking at the roots takes time, in which the server may have been replaced.
      const instance = endWatch === undefined ? first : await keeper.acquire();
      if (!waiting.cancelled) this.#forward(message, id, instance, meta, endWatch);
    } catch (error) {
      if (waiting.cancelled) return;
      this.#outer.send(refuse(id, method, refusalOf(error)), id);
    } finally {
      this.#waiting.delete(id);
    }
  }

  #forward(message: RawMessage, id: string, instance: Instance, meta: unknown, endWatch?: EndWatch): void {
    const token = isObject(meta) ? JSON.stringify(meta['progressToken']) : undefined;
    const over = (tell: (changeId?: string) => void): void => {
      // Where it is not there any more, the client has taken it back meanwhile.
      const end = (changeId?: string): void => void (this.#running.delete(id) && tell(changeId));
      if (endWatch === undefined) end();
      else void endWatch().then(end);
    };
    const ended = this.#seen.passed(message, instance.roots);
    const innerId = instance.request(message, {
      method: message.method ?? '',
      answered: (answer) => {
        if (!answer.isError && LEAVES_TRACE.has(message.method ?? '')) this.#introduction?.note(message);
        // What a hook said about the call holds for all its rounds.
        if (!instance.isModern || !asksBack(answer)) this.#roots?.callers?.end(meta);
        ended?.(answer.isError || answer.value('result', 'isError') === true);
        over((changeId) => this.#outer.send(this.#answers.shown(message, id, answer, changeId), id));
      },
      failed: (error) => {
        this.#roots?.callers?.end(meta);
        ended?.(true);
        over(() => this.#outer.send(refuse(id, message.method ?? '', lostCall(error.message)), id));
      },
    });
    this.#running.set(id, { instance, innerId, token, endWatch });
    const { flow } = this.#options;
    if (flow === undefined || instance.backlog <= MAX_BACKLOG_BYTES) return;
    flow.hold();
    instance.whenRead(() => flow.release());
  }

  #cancelled(message: RawMessage): void {
    const id = message.raw('params', 'requestId') ?? '';
    const waiting = this.#waiting.get(id);
    if (waiting !== undefined) waiting.cancelled = true;
    const running = this.#running.get(id);
    if (running === undefined) return;
    this.#running.delete(id);
    running.instance.send(message.edited(message.set(['params', 'requestId'], running.innerId)));
    running.instance.forget(running.innerId);
    void running.endWatch?.();
  }

  #told(message: RawMessage, instance: Instance): void {
    if (message.method === 'notifications/cancelled') {
      const pieces = this.#serverQuestions.takeBack(message, instance);
      if (pieces !== undefined) this.#outer.send(pieces, this.#running.oldestOf(instance));
      return;
    }
    if (instance.provisional && LIST_CHANGED.test(message.method ?? '')) {
      if (!this.#awaitsRoots) this.#announce(instance);
      return;
    }
    const token =
      message.method === 'notifications/progress' ? message.raw('params', 'progressToken') : undefined;
    this.#outer.send([message.bytes], this.#running.ofToken(token) ?? this.#running.oldestOf(instance));
  }

  /** Tells the client of the lists that differ from what it has read. */
  #announce(instance: Instance): void {
    this.#answers.announce(instance, (notification) => this.#outer.send([notification.bytes]));
  }

  #instances(): readonly Instance[] {
    return [this.#main, ...this.#sides.keepers()].flatMap(({ instance }) => instance ?? []);
  }
}

/** Does one thing after the other, so that requests reach a server in the order they came. */
export class Lane {
  readonly #waiting: (() => Promise<void> | undefined)[] = [];
  readonly #onError: (error: unknown) => void;
  #working = false;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** Work that returns nothing is done already; where nothing is under way, it is done before this returns. */
  add(work: () => Promise<void> | undefined): void {
    this.#waiting.push(work);
    if (!this.#working) this.#work();
  }

  #work(): void {
    this.#working = true;
    for (let work = this.#waiting.shift(); work !== undefined; work = this.#waiting.shift()) {
      const pending = this.#begin(work);
      if (pending === undefined) continue;
      void pending.catch(this.#onError).then(() => this.#work());
      return;
    }
    this.#working = false;
  }

  #begin(work: () => Promise<void> | undefined): Promise<void> | undefined {
    try {
      return work();
    } catch (error) {
      this.#onError(error);
      return undefined;
    }
  }
}
