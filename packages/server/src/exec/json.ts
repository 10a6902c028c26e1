import { isObject } from '@rootward/core/platform';

/** Parsers of some clients refuse a message at 128 levels, and the message around it has a few of its own. */
const MAX_DEPTH = 100;
/** As it is written in JSON, one half of a character or both. */
const HALF_CHARACTER = /\\ud[89a-f]/i;

/** Undefined for text that is not JSON, or that some client could not read. Half characters are replaced. */
export function parseJson(text: string): unknown {
  try {
    const value: unknown = HALF_CHARACTER.test(text) ? JSON.parse(text, wellFormed) : JSON.parse(text);
    return isTooDeep(value) ? undefined : value;
  } catch {
    return undefined;
  }
}

/** Whether it is nested too deep for clients, or for this server. */
export function isTooDeep(value: unknown): boolean {
  return isDeeperThan(MAX_DEPTH, value);
}

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const inner: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  return levels === 0 || inner.some((each) => isDeeperThan(levels - 1, each));
}

function wellFormed(_key: string, value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (!isObject(value) || Object.keys(value).every((key) => key.isWellFormed())) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key.toWellFormed(), each]));
}
