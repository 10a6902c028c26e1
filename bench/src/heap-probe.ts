import { writeFileSync } from 'node:fs';

const file = process.env['ROOTWARD_BENCH_HEAP'] ?? '';

/** Imported into a server by `--import`, with `--expose-gc`: writes how much heap is in use when it is asked by a signal. */
process.on('SIGUSR2', () => {
  // What waits to be finalized goes with the second one.
  for (let round = 0; round < 3; round++) globalThis.gc?.();
  writeFileSync(file, `${process.memoryUsage().heapUsed}\n`);
});
