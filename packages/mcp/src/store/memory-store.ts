import { systemClock, type Clock, type Disposable } from '@rootward/core';
import { disposable } from '@rootward/core/platform';
import type { LogLine, SessionStore } from './session-store.js';

interface Entry<Value> {
  value: Value;
  until: number;
}

type Listener = (text: string | undefined) => void;

/** How often what has expired is removed. */
const SWEEP_MS = 10_000;

/** A store for one process: for tests, and for limits where nothing is shared. */
export class MemoryStore implements SessionStore {
  readonly ready = true;
  readonly #clock: Clock;
  readonly #texts = new Map<string, Entry<string>>();
  readonly #logs = new Map<string, Entry<LogLine[]>>();
  readonly #counts = new Map<string, Entry<number>>();
  readonly #places = new Map<string, Entry<Map<string, number>>>();
  readonly #listeners = new Map<string, Set<Listener>>();
  #lastLine = 0;
  #sweptAt: number;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
    this.#sweptAt = clock.now();
  }

  now(): Promise<number> {
    return Promise.resolve(Math.floor(this.#clock.now()));
  }

  read(key: string, ttl?: number): Promise<string | undefined> {
    const entry = this.#alive(this.#texts, key);
    if (entry !== undefined && ttl !== undefined) entry.until = this.#clock.now() + ttl;
    return Promise.resolve(entry?.value);
  }

  readStart(key: string, length: number): Promise<string> {
    return Promise.resolve(this.#alive(this.#texts, key)?.value.slice(0, length) ?? '');
  }

  replace(key: string, before: string | undefined, after: string | undefined, ttl: number): Promise<boolean> {
    if (this.#alive(this.#texts, key)?.value !== before) return Promise.resolve(false);
    if (after === undefined) this.#texts.delete(key);
    else this.#texts.set(key, { value: after, until: this.#clock.now() + ttl });
    return Promise.resolve(true);
  }

  append(key: string, text: string, ttl: number): Promise<string> {
    const log = this.#alive(this.#logs, key) ?? { value: [], until: 0 };
    const id = String(++this.#lastLine);
    log.value.push({ id, text });
    log.until = this.#clock.now() + ttl;
    this.#logs.set(key, log);
    return Promise.resolve(id);
  }

  lines(key: string, after = '0'): Promise<readonly LogLine[]> {
    const lines = this.#alive(this.#logs, key)?.value ?? [];
    return Promise.resolve(lines.filter(({ id }) => Number(id) > Number(after)));
  }

  lastLine(key: string): Promise<string | undefined> {
    return Promise.resolve(this.#alive(this.#logs, key)?.value.at(-1)?.id);
  }

  count(key: string, amount: number, ttl: number): Promise<number> {
    const count = this.#alive(this.#counts, key) ?? { value: 0, until: this.#clock.now() + ttl };
    count.value += amount;
    this.#counts.set(key, count);
    return Promise.resolve(count.value);
  }

  claim(key: string, member: string, places: number, ttl: number): Promise<boolean> {
    const now = this.#clock.now();
    const taken = this.#alive(this.#places, key)?.value ?? new Map<string, number>();
    for (const [name, until] of taken) if (until <= now) taken.delete(name);
    if (ttl === 0) return Promise.resolve(taken.delete(member));
    if (!taken.has(member) && taken.size >= places) return Promise.resolve(false);
    taken.set(member, now + ttl);
    this.#places.set(key, { value: taken, until: now + ttl });
    return Promise.resolve(true);
  }

  publish(channel: string, text: string): Promise<void> {
    for (const listener of this.#listeners.get(channel) ?? []) queueMicrotask(() => listener(text));
    return Promise.resolve();
  }

  subscribe(channel: string, listener: Listener): Disposable {
    const listeners = this.#listeners.get(channel) ?? new Set();
    this.#listeners.set(channel, listeners.add(listener));
    return disposable(() => void listeners.delete(listener));
  }

  close(): Promise<void> {
    this.#listeners.clear();
    return Promise.resolve();
  }

  #alive<Value>(entries: Map<string, Entry<Value>>, key: string): Entry<Value> | undefined {
    const now = this.#clock.now();
    if (now >= this.#sweptAt + SWEEP_MS) this.#sweep(now);
    const entry = entries.get(key);
    if (entry === undefined || now < entry.until) return entry;
    entries.delete(key);
    return undefined;
  }

  #sweep(now: number): void {
    this.#sweptAt = now;
    for (const entries of [this.#texts, this.#logs, this.#counts, this.#places]) {
      for (const [key, { until }] of entries) if (until <= now) entries.delete(key);
    }
  }
}
