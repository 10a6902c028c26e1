import { pathToFileUri, type Root } from '@rootward/core';
import type { ChildAbout, ChildRegistry } from '@rootward/mcp/host';
import { RootwardWrapError } from '../error.js';
import { RawMessage } from '../wire/raw-message.js';
import { EraBridge } from './era-bridge.js';
import type { InnerEra } from './era-bridge.js';
import { InnerProcess, MAX_MESSAGE_BYTES, type InnerEnd, type InnerEvents } from './inner-process.js';
import type { Launch, Run } from './launch.js';

/** A request that the inner server has not answered yet. Exactly one of the two is called, once. */
export interface PendingRequest {
  readonly method: string;
  answered(answer: RawMessage): void;
  failed(error: RootwardWrapError): void;
}

/** What an inner server does on its own. */
export interface InstanceEvents {
  /** It asks for something other than roots. */
  request(message: RawMessage, instance: Instance): void;
  notification(message: RawMessage, instance: Instance): void;
  /** It asked for roots, for the first time. */
  asked?(): void;
  noise(bytes: Buffer, from: 'stdout' | 'stderr'): void;
  /** What it says is not heard any more: it ended, or was cut off. */
  left(instance: Instance): void;
  /** It ended, and nobody had asked it to. */
  crashed(instance: Instance, error: RootwardWrapError): void;
  /** It answered a request. */
  worked(instance: Instance): void;
}

export interface InstanceOptions {
  /** How the server is meant to be started. */
  readonly launch: Launch;
  /** How it is started really, such as inside a sandbox. */
  readonly run: Run;
  readonly roots: readonly Root[];
  /** Started before the roots are known, only to learn what the server is. */
  readonly provisional: boolean;
  readonly children: ChildRegistry;
  /** What is known, and will be, about the era that the server speaks. */
  readonly era: InnerEra;
  readonly about: Pick<ChildAbout, 'name' | 'sandbox' | 'restart'>;
  readonly events: InstanceEvents;
}

const ROOTS_CHANGED = RawMessage.from({ method: 'notifications/roots/list_changed' });
/** What only clients say: a program that says it sends back what it reads, as `cat` does. */
const ECHOED: ReadonlySet<string> = new Set(['initialize', 'server/discover']);
const ID_AT_START = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d+|"[\d-]+")\s*,/;
const ID_AT_END = /"id"\s*:\s*(\d+|"[\d-]+")\s*\}\s*$/;

/** One start of the inner server: its process, what it was told, and what it still has to answer. */
export class Instance {
  readonly launch: Launch;
  readonly provisional: boolean;
  readonly #process: InnerProcess;
  /** Undefined once it is known that the server speaks the legacy era. */
  #bridge: EraBridge | undefined;
  readonly #events: InstanceEvents;
  readonly #pending = new Map<string, PendingRequest>();
  readonly #idle = new Set<() => void>();
  #roots: readonly Root[];
  #nextId = 1;
  #askedForRoots = false;
  #initialized = false;
  #leaving = false;
  #silent = false;

  constructor({ launch, run, roots, provisional, children, era, about, events }: InstanceOptions) {
    this.launch = launch;
    this.provisional = provisional;
    this.#roots = roots;
    this.#events = events;
    const heard: InnerEvents = {
      message: (message) =>
        this.#bridge === undefined ? this.#receive(message) : this.#bridge.receive(message),
      noise: (bytes, from) => events.noise(bytes, from),
      tooLong: (head, tail) => this.#failOversized(head, tail),
      ended: (end) => this.#onEnd(end),
    };
    this.#process = new InnerProcess(run, children, heard, about);
    this.#bridge = new EraBridge(
      {
        toServer: (pieces) => this.#process.send(pieces),
        toUs: (message) => this.#receive(message),
        roots: () => this.#giveRoots(),
      },
      era,
    );
  }

  get roots(): readonly Root[] {
    return this.#roots;
  }

  get askedForRoots(): boolean {
    return this.#askedForRoots;
  }

  /** Neither ended nor on its way out. */
  get usable(): boolean {
    return !this.#leaving && !this.#process.ended;
  }

  get busy(): boolean {
    return this.#pending.size > 0;
  }

  /** Whether it is spoken to in the modern era. Known once it has introduced itself. */
  get isModern(): boolean {
    return this.#bridge?.isModern === true;
  }

  get backlog(): number {
    return this.#process.backlog;
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  get lastWords(): readonly string[] {
    return this.#process.lastWords;
  }

  /** Sends a request under an id of ours. Returns that id; `pending` hears nothing before that, so that it can be noted first. */
  request(message: RawMessage, pending: PendingRequest): string {
    const id = String(this.#nextId++);
    this.#pending.set(id, pending);
    if (this.#process.ended) {
      const error = new RootwardWrapError('ended', 'Cannot ask the server: it has ended');
      queueMicrotask(() => this.#failAll(error));
    } else if (message.method === 'initialize') this.#bridge?.introduce(id, message);
    else this.send(message.withId(id));
    return id;
  }

  /** Asks something of our own. Rejects where the server answers with an error. */
  ask(method: string, params: object | undefined): Promise<RawMessage> {
    return this.askRaw(RawMessage.from({ id: 0, method, ...(params !== undefined && { params }) }));
  }

  askRaw(message: RawMessage): Promise<RawMessage> {
    return new Promise((resolve, reject) => {
      this.request(message, {
        method: message.method ?? '',
        answered: resolve,
        failed: reject,
      });
    });
  }

  /** Sends something that is not answered, as it is. */
  send(pieces: readonly Buffer[]): void {
    if (this.#bridge === undefined) this.#process.send(pieces);
    else this.#bridge.send(pieces);
  }

  /** The client has finished the introduction; from now on the server may be told of changes. */
  initialized(message: RawMessage): void {
    if (this.#initialized) return;
    this.#initialized = true;
    this.send([message.bytes]);
  }

  /** Forgets a request: its answer is not wanted any more. */
  forget(id: string): void {
    this.#pending.delete(id);
    this.#noteIdle();
  }

  /** The roots changed, and the server may keep running. */
  tell(roots: readonly Root[]): void {
    this.#roots = roots;
    if (this.#initialized) this.send([ROOTS_CHANGED.bytes]);
  }

  /** Lets requests under way finish within `ms`, then ends. */
  async retire(ms: number, reason: string): Promise<void> {
    this.#leaving = true;
    await this.#whenIdle(ms);
    this.cut(reason);
  }

  /** Ends it now: nothing it says from here on is heard, and what it has not answered fails. */
  cut(reason: string): void {
    this.#leaving = true;
    this.#failAll(new RootwardWrapError('ended', reason));
    this.#silence();
    this.#process.stop();
  }

  pause(): void {
    this.#process.pause();
  }

  resume(): void {
    this.#process.resume();
  }

  whenRead(callback: () => void): void {
    this.#process.whenRead(callback);
  }

  #receive(message: RawMessage): void {
    switch (message.kind) {
      case 'answer':
        this.#answer(message);
        return;
      case 'request':
        if (ECHOED.has(message.method ?? '')) this.#failIntroduction();
        else if (message.method === 'roots/list') this.#answerRoots(message);
        else if (!this.#silent) this.#events.request(message, this);
        return;
      case 'notification':
        if (!this.#silent) this.#events.notification(message, this);
    }
  }

  #answer(message: RawMessage): void {
    const id = message.id ?? '';
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    this.#pending.delete(id);
    this.#events.worked(this);
    if (pending.method === 'initialize' && this.#bridge?.isModern === false) this.#bridge = undefined;
    pending.answered(message);
    this.#noteIdle();
  }

  #answerRoots({ id = 'null' }: RawMessage): void {
    this.send([Buffer.from(`{"jsonrpc":"2.0","id":${id},"result":${this.#giveRoots()}}`)]);
  }

  /** The server asks for them. */
  #giveRoots(): string {
    if (!this.#askedForRoots) this.#events.asked?.();
    this.#askedForRoots = true;
    const roots = this.#roots.map(({ path, name }) => ({ uri: pathToFileUri(path), name }));
    return JSON.stringify({ roots });
  }

  #failIntroduction(): void {
    const reason = 'it sends back what it is sent; is it an MCP server?';
    for (const [id, pending] of this.#pending) {
      if (pending.method !== 'initialize') continue;
      this.#pending.delete(id);
      pending.failed(new RootwardWrapError('no-answer', reason));
    }
  }

  #failOversized(head: Buffer, tail: Buffer): void {
    const written =
      ID_AT_START.exec(head.toString('latin1'))?.[1] ?? ID_AT_END.exec(tail.toString('latin1'))?.[1];
    const id = written === undefined ? undefined : (this.#bridge?.callOf(written) ?? written);
    const pending = id === undefined ? undefined : this.#pending.get(id);
    if (id === undefined || pending === undefined) return;
    this.#pending.delete(id);
    pending.failed(
      new RootwardWrapError(
        'no-answer',
        `Cannot pass on the answer: it exceeds ${String(MAX_MESSAGE_BYTES)} bytes`,
      ),
    );
    this.#noteIdle();
  }

  #onEnd({ reason, lastWords }: InnerEnd): void {
    const words = lastWords.length === 0 ? '' : `; its last words: ${lastWords.join(' | ')}`;
    const error = new RootwardWrapError('ended', `the server ended (${reason})${words}`);
    const crashed = !this.#leaving;
    this.#leaving = true;
    this.#bridge?.close();
    this.#failAll(error);
    this.#silence();
    if (crashed) this.#events.crashed(this, error);
  }

  #silence(): void {
    if (this.#silent) return;
    this.#silent = true;
    this.#events.left(this);
  }

  #failAll(error: RootwardWrapError): void {
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    for (const each of pending) each.failed(error);
    this.#noteIdle();
  }

  #whenIdle(ms: number): Promise<void> {
    if (!this.busy) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#idle.delete(done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      this.#idle.add(done);
    });
  }

  #noteIdle(): void {
    if (!this.busy) for (const done of this.#idle) done();
  }
}
