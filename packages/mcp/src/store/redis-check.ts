import type { createClient } from '@redis/client';
import { RootwardMcpError } from '../error.js';
import { refusalOf } from './redis-refusals.js';

type Client = ReturnType<typeof createClient>;

/** What is to know of a server that can be used. */
export interface ServerState {
  /** What the operator should know. */
  readonly warning: string | undefined;
  /** It can be read, and takes no writes. */
  readonly isFull: boolean;
}

const MIN_VERSION = 7;
const NO_EVICTION = 'noeviction';

/**
 * Whether a server is one to use. Throws `store-invalid` for one that is too old, that has what another version
 * stored, or that may remove what was revoked; and an error of another kind for one that cannot be used now.
 */
export async function checkServer(client: Client, formatKey: string, format: string): Promise<ServerState> {
  const info = await client.info();
  const field = (name: string): string | undefined => new RegExp(`^${name}:(.*?)\r?$`, 'm').exec(info)?.[1];
  const version = field('redis_version');
  if (!(Number.parseInt(version ?? '', 10) >= MIN_VERSION)) {
    throw invalid(`it is Redis ${version ?? 'of no version'}; version ${MIN_VERSION} or later is needed`);
  }
  const policy = field('maxmemory') === '0' ? NO_EVICTION : field('maxmemory_policy');
  if (policy?.startsWith('allkeys') === true) {
    throw invalid(
      `it removes any key when its memory is full (${policy}), revocations too; use ${NO_EVICTION}`,
    );
  }
  // What is written to a replica is lost, or refused.
  if (field('role') === 'slave') throw new Error('it is a replica');
  const { found, isFull } = await keepFormat(client, formatKey, format);
  if (found !== format) {
    throw invalid(`its format is ${JSON.stringify(found)} instead of ${format}; use another database`);
  }
  return { warning: warningOf(policy), isFull };
}

/** Keys without an end stay with every policy that is not refused. */
function warningOf(policy: string | undefined): string | undefined {
  if (policy === NO_EVICTION) return undefined;
  return policy === undefined
    ? `it does not say what it does when its memory is full; it must remove no keys (maxmemory-policy ${NO_EVICTION})`
    : `it removes sessions and counts when its memory is full (${policy}); use ${NO_EVICTION}`;
}

/** Writes the format where it is missing. Where it is there, nothing changes, but a server that takes no writes says so. */
async function keepFormat(
  client: Client,
  key: string,
  format: string,
): Promise<{ readonly found: string; readonly isFull: boolean }> {
  try {
    const found = (await client.set(key, format, { condition: 'NX', GET: true })) ?? format;
    return { found, isFull: false };
  } catch (error) {
    // A server whose memory is full can still be read.
    const found = refusalOf(error) === 'OOM' ? await client.get(key) : null;
    if (found === null) throw error;
    return { found, isFull: true };
  }
}

function invalid(problem: string): RootwardMcpError {
  return new RootwardMcpError('store-invalid', `Cannot use the session store: ${problem}`);
}
