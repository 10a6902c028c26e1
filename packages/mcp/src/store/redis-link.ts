import { ConnectionTimeoutError, createClient, SocketClosedUnexpectedlyError } from '@redis/client';
import { Deferred, errnoOf, within } from '@rootward/core/platform';
import { RootwardMcpError } from '../error.js';
import { checkServer } from './redis-check.js';
import { describeRefusal, isUseless, refusalOf } from './redis-refusals.js';
import { requireRights, tryCommands } from './redis-rights.js';

export type RedisClient = ReturnType<typeof createClient>;
export type RedisSettings = NonNullable<Parameters<typeof createClient>[0]>;

interface LinkOptions {
  readonly settings: RedisSettings;
  /** What all keys and channels start with, of all formats. */
  readonly prefix: string;
  /** Of what is stored. */
  readonly format: string;
  /**
   * Told once when the server cannot be used, at first or any longer, again for each other reason with which it refuses,
   * and once when it can be used again.
   */
  readonly onDidChangeState: (problem: string | undefined) => void;
  /** Told once what the operator should know of a server that can be used. */
  readonly onWarning: (warning: string) => void;
}

/** A server that takes longer is down for whoever waits. */
const ANSWER_MS = 2_000;
/** How long the first connection is waited for. */
export const CONNECT_MS = 2_000;
/**
 * How often it is asked whether both connections still work, and checked: neither one that hangs nor a server that has
 * become a replica says so by itself.
 */
const BEAT_MS = 1_000;
/** After so many beats without a connection it is made anew: it may hang before it is one. */
const MAX_MISSING = 5;

/**
 * Two connections to a Redis server, one for commands and one for what is published. Both are watched, and made anew
 * where they hang: revocations would be missed without a word on a connection that is there only in name.
 */
export class RedisLink {
  readonly #options: LinkOptions;
  /** Who is told what is published, by channel. */
  readonly #tellers = new Map<string, (text: string | undefined) => void>();
  readonly #opened = new Deferred();
  #client: RedisClient;
  #subscriber: RedisClient;
  /** Why the server cannot be used. */
  #problem: string | undefined = 'not connected yet';
  /** Why it is not one to use at all. */
  #fault: RootwardMcpError | undefined;
  #warning: string | undefined;
  #isFull = false;
  #losses = 0;
  /** With which words it refused since it could last be used. */
  readonly #refusals = new Set<string>();
  #missing = 0;
  #isSettling = false;
  #beat: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: LinkOptions) {
    this.#options = options;
    this.#client = this.#connect();
    this.#subscriber = this.#connect();
    this.#scheduleBeat();
  }

  get ready(): boolean {
    return this.#problem === undefined;
  }

  get problem(): string | undefined {
    return this.#problem;
  }

  get isFull(): boolean {
    return this.#isFull;
  }

  /** When it is known whether the server can be used. Rejects with `store-invalid`. */
  async opened(): Promise<void> {
    await within(this.#opened.promise, { milliseconds: CONNECT_MS });
    if (this.#fault !== undefined) throw this.#fault;
  }

  /** Rejects with `store-unavailable`. */
  async ask<Value>(command: (client: RedisClient) => Promise<Value>): Promise<Value> {
    if (this.#problem !== undefined) throw unavailable(this.#problem);
    try {
      return await inTime(command(this.#client));
    } catch (error) {
      if (isUseless(refusalOf(error))) this.#lost(error);
      // Where it was lost meanwhile, all that the client says is that it was told to disconnect.
      throw unavailable(this.#problem ?? describe(error), error);
    }
  }

  /** Without a text where something may have been missed: when it begins to listen, and after each interruption. */
  listen(channel: string, tell: (text: string | undefined) => void): void {
    this.#tellers.set(channel, tell);
    if (this.ready) {
      this.#subscribe(channel, tell).then(
        () => tell(undefined),
        (error: unknown) => this.#lost(error),
      );
    }
  }

  close(): void {
    this.#closed = true;
    this.#problem = 'closed';
    clearTimeout(this.#beat);
    this.#disconnect();
  }

  /** It goes on trying by itself. */
  #connect(): RedisClient {
    const client = createClient(this.#options.settings);
    const isCurrent = (): boolean => client === this.#client || client === this.#subscriber;
    client.on('error', (error: unknown) => {
      if (isCurrent()) this.#lost(error);
    });
    client.on('ready', () => {
      if (isCurrent()) void this.#settle();
    });
    // What it rejects with is told by its events, too.
    client.connect().catch(() => undefined);
    return client;
  }

  #disconnect(): void {
    for (const client of [this.#client, this.#subscriber]) if (client.isOpen) client.destroy();
  }

  #renew(): void {
    this.#missing = 0;
    this.#disconnect();
    this.#client = this.#connect();
    this.#subscriber = this.#connect();
  }

  get #isConnected(): boolean {
    return this.#client.isReady && this.#subscriber.isReady && !this.#closed;
  }

  /** Both connections are there. Where it was lost, what was published until now may have been missed. */
  async #settle(): Promise<void> {
    if (!this.#isConnected || this.#isSettling) return;
    this.#isSettling = true;
    const losses = this.#losses;
    try {
      await inTime(this.#prepare());
    } catch (error) {
      if (losses === this.#losses) this.#lost(error);
      return;
    } finally {
      this.#isSettling = false;
    }
    // What was lost meanwhile is back with one of the next beats.
    if (!this.#isConnected || losses !== this.#losses) return;
    const isNew = !this.ready;
    this.#problem = undefined;
    this.#fault = undefined;
    this.#refusals.clear();
    this.#opened.resolve();
    if (!isNew) return;
    this.#options.onDidChangeState(undefined);
    for (const tell of this.#tellers.values()) tell(undefined);
  }

  async #prepare(): Promise<void> {
    const { format, prefix, onWarning } = this.#options;
    const formatKey = `${prefix}:format`;
    // Of one that is in use, the first refusal tells.
    if (!this.ready) {
      const commands = tryCommands(this.#client, formatKey, `${prefix}:${format}:rights`);
      await requireRights(prefix, [...commands, ...this.#subscribeAll()]);
    }
    const { warning, isFull } = await checkServer(this.#client, formatKey, format);
    await Promise.all(this.#subscribeAll());
    if (warning !== undefined && warning !== this.#warning) onWarning(warning);
    this.#warning = warning;
    this.#isFull = isFull;
  }

  #subscribeAll(): readonly Promise<void>[] {
    return [...this.#tellers].map(([channel, tell]) => this.#subscribe(channel, tell));
  }

  /** Lasts through reconnections of the client; a second time for the same listener changes nothing. */
  async #subscribe(channel: string, tell: (text: string) => void): Promise<void> {
    await this.#subscriber.subscribe(channel, tell);
  }

  #lost(error: unknown): void {
    if (this.#closed) return;
    const wasReady = this.ready;
    this.#losses += 1;
    this.#problem = describe(error);
    this.#fault = error instanceof RootwardMcpError ? error : undefined;
    this.#opened.resolve();
    const refusal = refusalOf(error);
    // The first reason is often only that the connection broke off; what has to be changed is in the refusal after it.
    const isNews = refusal !== undefined && !this.#refusals.has(refusal);
    if (isNews) this.#refusals.add(refusal);
    if (wasReady || this.#losses === 1 || isNews) this.#options.onDidChangeState(inFull(error));
  }

  #scheduleBeat(): void {
    this.#beat = setTimeout(() => {
      void this.#look().finally(() => {
        if (!this.#closed) this.#scheduleBeat();
      });
    }, BEAT_MS).unref();
  }

  async #look(): Promise<void> {
    if (!this.#isConnected) {
      this.#missing += 1;
      if (this.#missing >= MAX_MISSING) this.#renew();
      return;
    }
    this.#missing = 0;
    try {
      await inTime(Promise.all([this.#client.ping(), this.#subscriber.ping()]));
    } catch (error) {
      this.#lost(error);
      if (error instanceof NoAnswer && !this.#closed) this.#renew();
      return;
    }
    await this.#settle();
  }
}

class NoAnswer extends Error {}

/** Rejects with `NoAnswer` where it takes too long. */
async function inTime<Value>(answer: Promise<Value>): Promise<Value> {
  if (await within(answer, { milliseconds: ANSWER_MS })) return answer;
  // Where this process was too busy to read it, it is there now.
  const late = Symbol('late');
  const found = await Promise.race([answer, afterReading().then(() => late)]);
  if (found !== late) return answer;
  answer.catch(() => undefined);
  throw new NoAnswer(`no answer within ${ANSWER_MS} ms`);
}

function afterReading(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(() => setImmediate(resolve));
  });
}

/** Clients get to read it, and have no business with addresses, users and scripts. */
function describe(error: unknown): string {
  if (error instanceof RootwardMcpError) return error.message.replace(/^Cannot use the session store: /, '');
  const refusal = describeRefusal(error);
  if (refusal !== undefined) return refusal;
  const code = errnoOf(error);
  if (code !== undefined) return `it cannot be reached (${code})`;
  if (error instanceof ConnectionTimeoutError) return `it does not answer (${error.message})`;
  if (error instanceof SocketClosedUnexpectedlyError) return `it closed the connection (${error.message})`;
  return error instanceof Error && error.message !== '' ? error.message : String(error);
}

/** The operator gets to read it, with the words of the server. */
function inFull(error: unknown): string {
  const description = describe(error);
  if (!(error instanceof Error) || refusalOf(error) === undefined) return description;
  return description.replace(/\([A-Z]+\)$/, () => `(${error.message})`);
}

function unavailable(problem: string, cause?: unknown): RootwardMcpError {
  return new RootwardMcpError('store-unavailable', `Cannot use the session store: ${problem}`, { cause });
}
