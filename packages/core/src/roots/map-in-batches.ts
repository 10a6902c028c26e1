import { unlessAborted } from '../platform/async.js';

/**
 * `items` mapped in order, `size` at a time.
 *
 * Rejects with the signal's reason as soon as it aborts, without waiting for calls that hang; no further batch starts.
 */
export async function mapInBatches<Item, Result>(
  items: readonly Item[],
  size: number,
  map: (item: Item) => Promise<Result>,
  signal?: AbortSignal,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < items.length; start += size) {
    signal?.throwIfAborted();
    results.push(...(await unlessAborted(Promise.all(items.slice(start, start + size).map(map)), signal)));
  }
  return results;
}
