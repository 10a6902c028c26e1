import { RootwardLspError } from '../error.js';

/** How long things may take, in milliseconds, and how many servers may run. */
export interface PoolLimits {
  /** For the answer to `initialize`: large projects load before they answer. */
  readonly initializeTimeout: number;
  /** For a server that is starting, before the call fails and says so. The server goes on starting. */
  readonly startWait: number;
  /** For a server that takes over after a change of the roots, before the one it replaces is asked. */
  readonly takeOverWait: number;
  /** For any other answer. */
  readonly requestTimeout: number;
  /** For a server to finish looking through its files before an answer is marked incomplete. */
  readonly settleTimeout: number;
  /** For a registration that may follow the handshake. */
  readonly registrationWait: number;
  /** For each step of an orderly shutdown; part of the second in which the process must end. */
  readonly stopTimeout: number;
  /** After this long without a question a server is stopped. */
  readonly idleTimeout: number;
  /** Beyond this many, the server that was not asked for longest makes room. */
  readonly maxServers: number;
}

/** The default limits of `LanguageServers`. */
export const defaultPoolLimits: PoolLimits = Object.freeze({
  initializeTimeout: 30_000,
  startWait: 15_000,
  takeOverWait: 2_000,
  requestTimeout: 30_000,
  settleTimeout: 10_000,
  registrationWait: 300,
  stopTimeout: 1_000,
  idleTimeout: 10 * 60_000,
  maxServers: 8,
});

export function readPoolLimits(given: Partial<PoolLimits> = {}): PoolLimits {
  const limits = { ...defaultPoolLimits, ...given };
  for (const [name, value] of Object.entries(limits)) {
    if (!Number.isFinite(value) || value < 0) {
      throw new RootwardLspError(
        'invalid-option',
        `Cannot use ${name}: expected a number of 0 or more, received ${value}`,
      );
    }
  }
  return limits;
}
