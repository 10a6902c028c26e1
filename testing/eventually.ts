import { vi } from 'vitest';

/** Far more than anything takes on a busy machine, and less than the limit of a test: what failed is shown. */
const PATIENCE_MS = 200_000;

/** Waits until `check` no longer throws. Waiting costs nothing when it holds: no test chooses a limit of its own. */
export function eventually<T>(check: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(check, { timeout: PATIENCE_MS, interval: 20 });
}
