import type { ServerResponse } from 'node:http';
import type { AuthInfo } from '@modelcontextprotocol/server';
import { CLOCK_TOLERANCE_SECONDS } from '../oauth/clock-tolerance.js';

/** Timers take no more milliseconds than this, and a longer one would end at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Ends a stream that stays open by itself as soon as requests with its token are no longer let in: whoever may go on
 * comes back with a new one. Calls under way are answered, since their token was valid when they came.
 */
export function endWithToken(auth: AuthInfo | undefined, response: ServerResponse): void {
  const expiresAt = auth?.expiresAt;
  if (expiresAt === undefined || response.destroyed) return;
  const over = (expiresAt + CLOCK_TOLERANCE_SECONDS) * 1000;
  let timer: NodeJS.Timeout;
  const wait = (): void => {
    const left = Math.max(0, over - Date.now());
    timer = setTimeout(left === 0 ? () => response.destroy() : wait, Math.min(left, LONGEST_TIMER_MS));
    timer.unref();
  };
  wait();
  response.once('close', () => clearTimeout(timer));
}
