import { performance } from 'node:perf_hooks';

/** The median of several batches: one slow batch on a busy machine does not count. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Of each column. */
export function medians(rows: readonly (readonly number[])[]): number[] {
  return (rows[0] ?? []).map((_, column) => median(rows.map((row) => row[column] ?? Number.NaN)));
}

async function timeBatch(run: () => unknown, count: number): Promise<number> {
  const start = performance.now();
  for (let index = 0; index < count; index++) {
    const outcome = run();
    if (outcome instanceof Promise) await outcome;
  }
  return ((performance.now() - start) * 1000) / count;
}

/**
 * Microseconds per run of each candidate. They take turns batch by batch, so that both meet the same moods of the
 * machine; without that, ratios on a shared machine say more about the neighbours.
 */
export async function compare(
  candidates: readonly (() => unknown)[],
  options: { readonly batches?: number; readonly perBatch?: number; readonly warmUpMs?: number } = {},
): Promise<number[]> {
  const { batches = 15, perBatch = 300, warmUpMs = 0 } = options;
  const times: number[][] = candidates.map(() => []);
  for (const candidate of candidates) {
    const start = performance.now();
    do await timeBatch(candidate, perBatch);
    while (performance.now() - start < warmUpMs);
  }
  for (let batch = 0; batch < batches; batch++) {
    for (const [index, candidate] of candidates.entries())
      times[index]?.push(await timeBatch(candidate, perBatch));
  }
  return times.map(median);
}

/** The median of what each candidate measures of itself; they take turns. */
export async function alternate(
  candidates: readonly (() => Promise<number>)[],
  turns: number,
): Promise<number[]> {
  const figures: number[][] = candidates.map(() => []);
  for (let turn = 0; turn < turns; turn++) {
    for (const [index, candidate] of candidates.entries()) figures[index]?.push(await candidate());
  }
  return figures.map(median);
}
