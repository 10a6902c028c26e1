import type { Logger } from '@rootward/core';
import { errnoOf } from '@rootward/core/platform';
import type { Revocations, SessionStore } from '@rootward/mcp';
import type * as redis from '@rootward/mcp/redis';
import { RootwardServerError } from '../../error.js';
import { HANDLE_KEY_VARIABLE, type Environment } from '../../settings/from-environment.js';
import type { Settings } from '../../settings/settings.js';

/** What instances of the server share. */
export interface SharedStore {
  readonly sessions: SessionStore;
  readonly revocations: Revocations;
  /** Why requests that need it are refused now. */
  readonly problem: () => string | undefined;
}

/** Opens the store that the settings name. Throws `usage` where it is not one to use; one that is down may come later. */
export async function openStore(
  { store: url, limits }: Pick<Settings, 'store' | 'limits'>,
  log: Logger,
): Promise<SharedStore> {
  if (url === undefined) {
    throw new RootwardServerError('usage', 'Cannot open the store: name it with --store or ROOTWARD_STORE');
  }
  const { RedisStore } = await loadClient();
  const { Revocations: List, RootwardMcpError } = await import('@rootward/mcp');
  try {
    const sessions = await RedisStore.connect({
      url,
      onDidChangeState: (problem) => {
        if (problem === undefined) log.info('the session store can be used');
        else log.warn('the session store cannot be used', { store: storeAddress(url), problem });
      },
      onWarning: (warning) => log.warn('the session store may lose keys', { warning }),
    });
    const report = (error: unknown): void => log.warn('revocations not read', { error: String(error) });
    const revocations = new List(sessions, sessions.ready ? report : undefined);
    await revocations.settled();
    const isCounting = limits?.requests !== undefined || limits?.bytes !== undefined;
    const problem = (): string | undefined =>
      problemOf(sessions, revocations) ??
      (isCounting && sessions.isFull
        ? 'the session store cannot count requests: its memory is full'
        : undefined);
    return { sessions, revocations, problem };
  } catch (error) {
    if (!(error instanceof RootwardMcpError)) throw error;
    throw new RootwardServerError('usage', error.message, { cause: error });
  }
}

/** Where it is, without user and password. For the operator: clients have no business with it. */
export function storeAddress(url: string): string {
  const { protocol, hostname, port, pathname } = new URL(url);
  return protocol === 'unix:' ? decodeURIComponent(pathname) : `${hostname}:${port || DEFAULT_PORT}`;
}

/** Of Redis and Valkey. */
const DEFAULT_PORT = 6379;

function problemOf({ problem }: redis.RedisStore, revocations: Revocations): string | undefined {
  if (problem !== undefined) return `the session store cannot be used: ${problem}`;
  return revocations.ready ? undefined : 'what was revoked cannot be read from the session store';
}

/** Throws `usage` for settings that would make instances differ in whom they let in, or in what they accept. */
export function requireShareable(
  { store, tokens, insecureNoToken, oauth }: Settings,
  environment: Environment,
): void {
  if (store === undefined) return;
  if (tokens.length === 0 && !insecureNoToken && oauth === undefined) {
    throw new RootwardServerError(
      'usage',
      'Cannot share sessions: every instance would make a token of its own; give all of them the same with --token-file or ROOTWARD_TOKEN',
    );
  }
  if ((environment[HANDLE_KEY_VARIABLE] ?? '') === '') {
    throw new RootwardServerError(
      'usage',
      `Cannot share sessions: an instance would refuse the handles of the others; set ${HANDLE_KEY_VARIABLE} to the same 32 characters or more for all of them`,
    );
  }
}

async function loadClient(): Promise<typeof redis> {
  try {
    return await import('@rootward/mcp/redis');
  } catch (error) {
    const code = errnoOf(error);
    if (code !== 'MODULE_NOT_FOUND' && code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new RootwardServerError(
      'usage',
      'Cannot use --store: the Redis client is not installed; install it beside rootward: npm install @redis/client',
      { cause: error },
    );
  }
}
