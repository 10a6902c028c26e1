import { createClient } from '@redis/client';
import type { Disposable } from '@rootward/core';
import { Deferred, disposable, errnoOf, within } from '@rootward/core/platform';
import { RootwardMcpError } from '../error.js';
import type { LogLine, SessionStore } from './session-store.js';

/** How a Redis store is reached. */
export interface RedisStoreOptions {
  /** `redis://`, `rediss://` (TLS) or `unix://localhost/path/to/socket`; it may name user and password. */
  readonly url: string;
  /** In place of those in the URL. */
  readonly username?: string;
  readonly password?: string;
  /** What all keys start with. Default `rootward`. */
  readonly prefix?: string;
  /** Told once when the store can no longer be used, and once when it can again. */
  readonly onDidChangeState?: (problem: string | undefined) => void;
}

type Client = ReturnType<typeof createClient>;
type Listener = (text: string | undefined) => void;

/** Of what is stored. Another one is refused: its values may mean something else. */
const FORMAT = '1';
const MIN_VERSION = 7;
/** A store that takes longer is down for whoever waits. */
const ANSWER_MS = 2_000;
const CONNECT_MS = 2_000;
const RETRY_MS = 250;
/** Of a log; the oldest go first. */
const MAX_LINES = 10_000;

const REPLACE = `local now = redis.call('GET', KEYS[1])
if now ~= ARGV[1] then return 0 end
if ARGV[3] == '' then redis.call('DEL', KEYS[1]) else redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3]) end
return 1`;

const CLAIM = `local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if ARGV[3] == '0' then return redis.call('ZREM', KEYS[1], ARGV[1]) end
local known = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not known and redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[2]) then return 0 end
redis.call('ZADD', KEYS[1], now + ARGV[3], ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1`;

/** A store in Redis 7 or later, or Valkey. It goes on by itself after the connection was lost. */
export class RedisStore implements SessionStore {
  readonly #prefix: string;
  readonly #client: Client;
  readonly #subscriber: Client;
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #onDidChangeState: RedisStoreOptions['onDidChangeState'];
  /** Why it cannot be used. */
  #problem: string | undefined = 'not connected yet';
  readonly #opened = new Deferred();
  #closed = false;

  /**
   * Connects, and resolves once it is known whether the store can be used: one that cannot be reached is tried again
   * and again. Rejects with `store-invalid` for a server that is too old, and for what another version has stored.
   */
  static async connect(options: RedisStoreOptions): Promise<RedisStore> {
    const store = new RedisStore(options);
    try {
      await store.#start();
    } catch (error) {
      await store.close();
      throw error;
    }
    return store;
  }

  private constructor({ prefix = 'rootward', onDidChangeState, ...place }: RedisStoreOptions) {
    this.#prefix = `${prefix}:${FORMAT}:`;
    this.#onDidChangeState = onDidChangeState;
    const settings = clientSettings(place);
    this.#client = createClient(settings);
    this.#subscriber = createClient(settings);
    this.#client.on('error', (error: unknown) => this.#lost(error));
    this.#subscriber.on('error', (error: unknown) => this.#lost(error));
    this.#client.on('ready', () => void this.#settle());
    this.#subscriber.on('ready', () => void this.#settle());
  }

  get ready(): boolean {
    return this.#problem === undefined;
  }

  async read(key: string, ttl?: number): Promise<string | undefined> {
    const name = this.#prefix + key;
    const value = await this.#ask((client) =>
      ttl === undefined ? client.get(name) : client.getEx(name, { type: 'PX', value: ttl }),
    );
    return value ?? undefined;
  }

  async replace(
    key: string,
    before: string | undefined,
    after: string | undefined,
    ttl: number,
  ): Promise<boolean> {
    const name = this.#prefix + key;
    if (before === undefined) {
      if (after === undefined) return (await this.read(key)) === undefined;
      const set = { condition: 'NX', expiration: { type: 'PX', value: ttl } } as const;
      return (await this.#ask((client) => client.set(name, after, set))) === 'OK';
    }
    const values = [before, after ?? '', after === undefined ? '' : String(ttl)];
    return (await this.#ask((client) => client.eval(REPLACE, { keys: [name], arguments: values }))) === 1;
  }

  async append(key: string, line: string, ttl: number): Promise<string> {
    const name = this.#prefix + key;
    const trim = { TRIM: { strategy: 'MAXLEN', strategyModifier: '~', threshold: MAX_LINES } } as const;
    const [id] = await this.#ask((client) =>
      client.multi().xAdd(name, '*', { t: line }, trim).pExpire(name, ttl).exec(),
    );
    return typeof id === 'string' ? id : '';
  }

  async lines(key: string, after?: string): Promise<readonly LogLine[]> {
    const start = after === undefined ? '-' : `(${lineId(after)}`;
    const found = await this.#ask((client) => client.xRange(this.#prefix + key, start, '+'));
    return (found ?? []).map(({ id, message }) => ({ id, text: message['t'] ?? '' }));
  }

  async count(key: string, amount: number, ttl: number): Promise<number> {
    const name = this.#prefix + key;
    const [sum] = await this.#ask((client) =>
      client.multi().incrBy(name, amount).pExpire(name, ttl, 'NX').exec(),
    );
    return Number(sum);
  }

  async claim(key: string, member: string, places: number, ttl: number): Promise<boolean> {
    const values = [member, String(places), String(ttl)];
    const keys = [this.#prefix + key];
    return (await this.#ask((client) => client.eval(CLAIM, { keys, arguments: values }))) === 1;
  }

  async publish(channel: string, text: string): Promise<void> {
    await this.#ask((client) => client.publish(this.#prefix + channel, text));
  }

  subscribe(channel: string, listener: Listener): Disposable {
    const listeners = this.#listeners.get(channel) ?? new Set();
    if (listeners.size === 0 && this.#subscriber.isReady) this.#listen(channel);
    this.#listeners.set(channel, listeners.add(listener));
    return disposable(() => void listeners.delete(listener));
  }

  close(): Promise<void> {
    this.#closed = true;
    this.#problem = 'closed';
    this.#client.destroy();
    this.#subscriber.destroy();
    return Promise.resolve();
  }

  async #start(): Promise<void> {
    // Both go on trying by themselves; what they reject with is told by their events, too.
    this.#client.connect().catch(() => undefined);
    this.#subscriber.connect().catch(() => undefined);
    await within(this.#opened.promise, { milliseconds: CONNECT_MS });
    if (this.#client.isReady && this.#problem !== undefined) await this.#check();
  }

  get #isConnected(): boolean {
    return this.#client.isReady && this.#subscriber.isReady && !this.#closed;
  }

  /** Both connections are there: what was published until now may have been missed. */
  async #settle(): Promise<void> {
    if (!this.#isConnected) return;
    try {
      await this.#check();
    } catch (error) {
      this.#lost(error);
      return;
    }
    // One that was lost meanwhile comes here again once it is back.
    if (!this.#isConnected) return;
    for (const channel of this.#listeners.keys()) this.#listen(channel);
    const isNew = this.#problem !== undefined;
    this.#problem = undefined;
    this.#opened.resolve();
    if (!isNew) return;
    this.#onDidChangeState?.(undefined);
    for (const listeners of this.#listeners.values()) {
      for (const listener of listeners) listener(undefined);
    }
  }

  async #check(): Promise<void> {
    const info = await this.#client.info('server');
    const version = /^redis_version:(\d+)/m.exec(info)?.[1];
    if (Number(version) < MIN_VERSION) {
      throw invalid(`it is Redis ${version}; version ${MIN_VERSION} or later is needed`);
    }
    // Of all versions, so without ours in its name.
    const name = `${this.#prefix.slice(0, -FORMAT.length - 1)}format`;
    await this.#client.set(name, FORMAT, { condition: 'NX' });
    const found = await this.#client.get(name);
    if (found !== FORMAT) {
      throw invalid(`its format is ${JSON.stringify(found)} instead of ${FORMAT}; use another database`);
    }
  }

  /** `subscribe` of the client lasts through reconnections; a second one for the same listener changes nothing. */
  #listen(channel: string): void {
    const tell = this.#tellers.get(channel) ?? this.#teller(channel);
    this.#subscriber.subscribe(this.#prefix + channel, tell).catch((error: unknown) => this.#lost(error));
  }

  readonly #tellers = new Map<string, (text: string) => void>();

  #teller(channel: string): (text: string) => void {
    const tell = (text: string): void => {
      for (const listener of this.#listeners.get(channel) ?? []) listener(text);
    };
    this.#tellers.set(channel, tell);
    return tell;
  }

  #lost(error: unknown): void {
    if (this.#closed) return;
    const wasReady = this.#problem === undefined;
    this.#opened.resolve();
    this.#problem = describe(error);
    if (wasReady) this.#onDidChangeState?.(this.#problem);
  }

  async #ask<Value>(command: (client: Client) => Promise<Value>): Promise<Value> {
    if (this.#problem !== undefined) throw unavailable(this.#problem);
    let answer: Promise<Value> | undefined;
    try {
      answer = command(this.#client);
      if (await within(answer, { milliseconds: ANSWER_MS })) return await answer;
    } catch (error) {
      throw unavailable(describe(error), error);
    }
    answer.catch(() => undefined);
    throw unavailable(`no answer within ${ANSWER_MS} ms`);
  }
}

function clientSettings({
  url,
  username,
  password,
}: Pick<RedisStoreOptions, 'url' | 'username' | 'password'>): Parameters<typeof createClient>[0] {
  const socket = { connectTimeout: CONNECT_MS, reconnectStrategy: RETRY_MS };
  const common = {
    disableOfflineQueue: true,
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
  };
  const { protocol, pathname, ...given } = readUrl(url);
  return protocol === 'unix:'
    ? { ...given, ...common, socket: { ...socket, path: decodeURIComponent(pathname) } }
    : { ...common, url, socket };
}

function readUrl(
  url: string,
): Record<'protocol' | 'pathname', string> & Partial<Record<'username' | 'password', string>> {
  const { protocol, pathname, username, password } = new URL(url);
  return {
    protocol,
    pathname,
    ...(username !== '' && { username: decodeURIComponent(username) }),
    ...(password !== '' && { password: decodeURIComponent(password) }),
  };
}

/** Ids come back from clients. */
function lineId(id: string): string {
  return /^\d{1,20}(-\d{1,20})?$/.test(id) ? id : '0';
}

/** Clients get to read it, and have no business with addresses. */
function describe(error: unknown): string {
  const code = errnoOf(error);
  if (code !== undefined) return `it cannot be reached (${code})`;
  return error instanceof Error && error.message !== '' ? error.message : String(error);
}

function unavailable(problem: string, cause?: unknown): RootwardMcpError {
  return new RootwardMcpError('store-unavailable', `Cannot use the session store: ${problem}`, { cause });
}

function invalid(problem: string): RootwardMcpError {
  return new RootwardMcpError('store-invalid', `Cannot use the session store: ${problem}`);
}
