import { open, readFile, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { errnoOf, isAlive, isObject } from '@rootward/core/platform';
import { RootwardServerError } from '../error.js';

export interface FileLockOptions {
  /** How long to wait for the holder. */
  readonly patience?: number;
  readonly signal?: AbortSignal;
}

/** Holding it takes a few milliseconds; a holder that needs longer is stuck. */
const PATIENCE_MS = 5000;
const RETRY_MS = 15;
/** A process that made a lock and has not signed it for so long is gone, or found the disk full. */
const UNSIGNED_MS = 10_000;

/**
 * Runs a task while holding a lock file, across processes. A lock whose process on this machine is gone is taken over.
 * Does NOT keep out anyone who does not ask for the lock.
 */
export async function withFileLock<Result>(
  file: string,
  task: () => Promise<Result>,
  { patience = PATIENCE_MS, signal }: FileLockOptions = {},
): Promise<Result> {
  const until = Date.now() + patience;
  while (!(await tryCreate(file))) {
    signal?.throwIfAborted();
    if (await clearAbandoned(file)) continue;
    if (Date.now() >= until) {
      throw new RootwardServerError(
        'configuration',
        `Cannot lock ${file}: another process holds it; remove the file if there is none`,
      );
    }
    await delay(RETRY_MS, undefined, { signal });
  }
  try {
    return await task();
  } finally {
    await rm(file, { force: true });
  }
}

async function tryCreate(file: string): Promise<boolean> {
  try {
    const handle = await open(file, 'wx', 0o600);
    await handle
      .writeFile(JSON.stringify({ pid: process.pid, host: hostname() }))
      .finally(() => handle.close());
    return true;
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Two who find the same abandoned lock must not both remove it: the second would remove what the first has made since.
 * So removing takes a lock of its own, and looks again under it.
 */
async function clearAbandoned(file: string): Promise<boolean> {
  if (!(await isAbandoned(file))) return false;
  const clearing = `${file}.clearing`;
  if (!(await tryCreate(clearing))) return false;
  try {
    if (!(await isAbandoned(file))) return false;
    await rm(file, { force: true });
    return true;
  } finally {
    await rm(clearing, { force: true });
  }
}

async function isAbandoned(file: string): Promise<boolean> {
  let holder: unknown;
  try {
    holder = JSON.parse(await readFile(file, 'utf8'));
  } catch {
    // Gone meanwhile, or being written this moment.
    const made = await stat(file).catch(() => undefined);
    return made !== undefined && Date.now() - made.mtimeMs > UNSIGNED_MS;
  }
  if (!isObject(holder)) return false;
  const { host, pid } = holder;
  // The process numbers of another machine, or of another container, say nothing here.
  return host === hostname() && typeof pid === 'number' && !isAlive(pid);
}
