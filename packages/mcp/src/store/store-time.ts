import { RootwardMcpError } from '../error.js';
import type { SessionStore } from './session-store.js';

/** In September 2001. Seconds since the epoch are less than that. */
const MIN_TIME = 1e12;
/** In the year 5138. Microseconds and nanoseconds since the epoch are more than that. */
const MAX_TIME = 1e14;

/**
 * The time by the clock of a store. Throws `store-invalid` for what is not one in milliseconds since the epoch: with
 * NaN, nothing would count as revoked, and with another unit all of it as over.
 */
export async function storeTime(store: SessionStore): Promise<number> {
  const time: unknown = await store.now();
  if (typeof time === 'number' && Number.isSafeInteger(time) && time >= MIN_TIME && time <= MAX_TIME)
    return time;
  const received = typeof time === 'string' ? JSON.stringify(time) : String(time);
  throw new RootwardMcpError(
    'store-invalid',
    `Cannot use the session store: its time is ${received}, not whole milliseconds since the epoch`,
  );
}
