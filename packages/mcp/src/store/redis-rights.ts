import type { createClient } from '@redis/client';
import { missingCommand, refusalOf } from './redis-refusals.js';

type Client = ReturnType<typeof createClient>;

/**
 * Tries every command that a store uses, on a key that nothing is kept in and a channel that nobody listens to: none of
 * them changes anything.
 */
export function tryCommands(client: Client, formatKey: string, name: string): readonly Promise<unknown>[] {
  const commands = [
    ['PING'],
    ['INFO', 'server'],
    ['TIME'],
    ['GET', formatKey],
    ['GET', name],
    ['GETEX', name, 'PX', '1'],
    ['GETRANGE', name, '0', '0'],
    ['SET', name, '', 'XX'],
    ['DEL', name],
    ['PEXPIRE', name, '1'],
    // It is allowed where it is refused for what is added.
    ['INCRBY', name, 'nothing'],
    ['XADD', name, 'NOMKSTREAM', '*', 't', ''],
    ['XRANGE', name, '-', '+', 'COUNT', '1'],
    ['XREVRANGE', name, '+', '-', 'COUNT', '1'],
    ['ZADD', name, 'XX', '0', ''],
    ['ZCARD', name],
    ['ZREM', name, ''],
    ['ZREMRANGEBYSCORE', name, '0', '0'],
    ['ZSCORE', name, ''],
    ['EVAL', 'return 0', '1', name],
    ['PUBLISH', name, ''],
  ];
  return [...commands.map((command) => client.sendCommand(command)), client.multi().ping().exec()];
}

/**
 * Throws where an attempt was refused for want of a right, and names all that are missing as `ACL SETUSER` grants them.
 * An attempt that was refused for another reason proves that the user has the right.
 */
export async function requireRights(prefix: string, attempts: readonly Promise<unknown>[]): Promise<void> {
  const missing = new Set<string>();
  for (const attempt of await Promise.allSettled(attempts)) {
    if (attempt.status === 'fulfilled') continue;
    const error: unknown = attempt.reason;
    const refusal = refusalOf(error);
    if (refusal === undefined) throw error;
    if (refusal === 'NOPERM') missing.add(missingCommand(error) ?? missingPattern(String(error), prefix));
  }
  if (missing.size > 0) throw new Error(`its user lacks ${[...missing].join(' ')} (NOPERM)`);
}

/** The words differ between servers: "access one of the keys", "access a key". */
function missingPattern(words: string, prefix: string): string {
  return /\bchannels?\b/.test(words) ? `&${prefix}:*` : `~${prefix}:*`;
}
