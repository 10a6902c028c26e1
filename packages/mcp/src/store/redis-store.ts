import type { Disposable } from '@rootward/core';
import { disposable } from '@rootward/core/platform';
import { CONNECT_MS, RedisLink, type RedisSettings } from './redis-link.js';
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
  /**
   * Told once when the store cannot be used, at first or any longer, again for each other reason with which it refuses,
   * and once when it can be used again.
   */
  readonly onDidChangeState?: (problem: string | undefined) => void;
  /** Told once that a store which can be used may remove keys when its memory is full, or does not say whether it does. */
  readonly onWarning?: (warning: string) => void;
}

type Listener = (text: string | undefined) => void;

/** Of what is stored. Another one is refused: its values may mean something else. */
const FORMAT = '1';
const RETRY_MS = 250;
/** Of a log; the oldest go first. */
const MAX_LINES = 10_000;
/** Of a log, in one answer: each of them may be as large as a message, and most logs have fewer. */
const LINES_AT_ONCE = 20;

const MAX_ID_PART = 2n ** 64n - 1n;

const REPLACE = `local now = redis.call('GET', KEYS[1])
if now ~= ARGV[1] then return 0 end
if ARGV[3] == '' then redis.call('DEL', KEYS[1])
elseif ARGV[3] == 'Infinity' then redis.call('SET', KEYS[1], ARGV[2])
else redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3]) end
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
  readonly #link: RedisLink;
  readonly #listeners = new Map<string, Set<Listener>>();

  /**
   * Connects, and resolves once it is known whether the store can be used: one that cannot be reached is tried again
   * and again. Rejects with `store-invalid` for a server that is too old, for what another version has stored, and for
   * a server that removes any key when its memory is full.
   */
  static async connect(options: RedisStoreOptions): Promise<RedisStore> {
    const store = new RedisStore(options);
    try {
      await store.#link.opened();
    } catch (error) {
      await store.close();
      throw error;
    }
    return store;
  }

  private constructor({ prefix = 'rootward', onDidChangeState, onWarning, ...place }: RedisStoreOptions) {
    this.#prefix = `${prefix}:${FORMAT}:`;
    this.#link = new RedisLink({
      settings: clientSettings(place),
      prefix,
      format: FORMAT,
      onDidChangeState: (problem) => onDidChangeState?.(problem),
      onWarning: (warning) => onWarning?.(warning),
    });
  }

  get ready(): boolean {
    return this.#link.ready;
  }

  /** Why it cannot be used now, without the words of the server. */
  get problem(): string | undefined {
    return this.#link.problem;
  }

  /** Whether its memory was full when it was last looked at, which is every second: then it can only be read. */
  get isFull(): boolean {
    return this.#link.isFull;
  }

  async now(): Promise<number> {
    const [seconds, microseconds] = await this.#link.ask((client) => client.time());
    return Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000);
  }

  async read(key: string, ttl?: number): Promise<string | undefined> {
    const name = this.#prefix + key;
    const value = await this.#link.ask((client) =>
      ttl === undefined ? client.get(name) : client.getEx(name, { type: 'PX', value: ttl }),
    );
    return value ?? undefined;
  }

  async readStart(key: string, length: number): Promise<string> {
    return (await this.#link.ask((client) => client.getRange(this.#prefix + key, 0, length - 1))) ?? '';
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
      const expiration = ttl === Infinity ? undefined : ({ type: 'PX', value: ttl } as const);
      const set = { condition: 'NX', ...(expiration && { expiration }) } as const;
      return (await this.#link.ask((client) => client.set(name, after, set))) === 'OK';
    }
    const values = [before, after ?? '', after === undefined ? '' : String(ttl)];
    return (
      (await this.#link.ask((client) => client.eval(REPLACE, { keys: [name], arguments: values }))) === 1
    );
  }

  async append(key: string, line: string, ttl: number): Promise<string> {
    const name = this.#prefix + key;
    const trim = { TRIM: { strategy: 'MAXLEN', strategyModifier: '~', threshold: MAX_LINES } } as const;
    const [id] = await this.#link.ask((client) =>
      client.multi().xAdd(name, '*', { t: line }, trim).pExpire(name, ttl).exec(),
    );
    return typeof id === 'string' ? id : '';
  }

  async lines(key: string, after?: string): Promise<readonly LogLine[]> {
    const start = after === undefined ? '-' : `(${lineId(after)}`;
    const found = await this.#link.ask((client) =>
      client.xRange(this.#prefix + key, start, '+', { COUNT: LINES_AT_ONCE }),
    );
    return (found ?? []).map(({ id, message }) => ({ id, text: message['t'] ?? '' }));
  }

  async lastLine(key: string): Promise<string | undefined> {
    const found = await this.#link.ask((client) =>
      client.xRevRange(this.#prefix + key, '+', '-', { COUNT: 1 }),
    );
    return found?.[0]?.id;
  }

  async count(key: string, amount: number, ttl: number): Promise<number> {
    const name = this.#prefix + key;
    const [sum] = await this.#link.ask((client) =>
      client.multi().incrBy(name, amount).pExpire(name, ttl, 'NX').exec(),
    );
    return Number(sum);
  }

  async claim(key: string, member: string, places: number, ttl: number): Promise<boolean> {
    const values = [member, String(places), String(ttl)];
    const keys = [this.#prefix + key];
    return (await this.#link.ask((client) => client.eval(CLAIM, { keys, arguments: values }))) === 1;
  }

  async publish(channel: string, text: string): Promise<void> {
    await this.#link.ask((client) => client.publish(this.#prefix + channel, text));
  }

  subscribe(channel: string, listener: Listener): Disposable {
    const known = this.#listeners.get(channel);
    const listeners = known ?? new Set();
    this.#listeners.set(channel, listeners.add(listener));
    if (known === undefined) {
      this.#link.listen(this.#prefix + channel, (text) => {
        for (const each of listeners) each(text);
      });
    }
    return disposable(() => void listeners.delete(listener));
  }

  close(): Promise<void> {
    this.#link.close();
    return Promise.resolve();
  }
}

function clientSettings({
  url,
  username,
  password,
}: Pick<RedisStoreOptions, 'url' | 'username' | 'password'>): RedisSettings {
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

/** Ids come back from clients. The server refuses a place after the last one there can be. */
function lineId(id: string): string {
  const isId = /^\d{1,20}(-\d{1,20})?$/.test(id);
  return isId && id.split('-').every((part) => BigInt(part) < MAX_ID_PART) ? id : '0';
}
