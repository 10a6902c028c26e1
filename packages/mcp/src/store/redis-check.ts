import type { createClient } from '@redis/client';
import { RootwardMcpError } from '../error.js';

const MIN_VERSION = 7;

/**
 * Whether a server is one to use. Throws `store-invalid` for one that is too old, that has what another version
 * stored, or that may remove what was revoked; and an error of another kind for one that cannot be used now.
 */
export async function checkServer(
  client: ReturnType<typeof createClient>,
  formatKey: string,
  format: string,
): Promise<void> {
  const info = await client.info();
  const field = (name: string): string | undefined => new RegExp(`^${name}:(.*?)\r?$`, 'm').exec(info)?.[1];
  const version = field('redis_version');
  if (!(Number.parseInt(version ?? '', 10) >= MIN_VERSION)) {
    throw invalid(`it is Redis ${version ?? 'of no version'}; version ${MIN_VERSION} or later is needed`);
  }
  const policy = field('maxmemory_policy') ?? '';
  if (policy.startsWith('allkeys') && field('maxmemory') !== '0') {
    throw invalid(`it removes any key when its memory is full (${policy}), revocations too; use noeviction`);
  }
  // What is written to a replica is lost, or refused.
  if (field('role') === 'slave') throw new Error('it is a replica');
  // Written only where it is missing: a server whose memory is full can still be read.
  let found = await client.get(formatKey);
  if (found === null) {
    await client.set(formatKey, format, { condition: 'NX' });
    found = await client.get(formatKey);
  }
  if (found !== format) {
    throw invalid(`its format is ${JSON.stringify(found)} instead of ${format}; use another database`);
  }
}

function invalid(problem: string): RootwardMcpError {
  return new RootwardMcpError('store-invalid', `Cannot use the session store: ${problem}`);
}
