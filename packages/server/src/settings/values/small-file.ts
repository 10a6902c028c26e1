import { readFileSync, statSync } from 'node:fs';
import { RootwardServerError } from '../../error.js';
import { errnoReason } from './errno-reason.js';

/** A larger file is not what was meant. */
const MAX_BYTES = 64 * 1024;

/**
 * The text of a file that the operator named for `what` is in it. Throws `usage`, also for a pipe or a device: reading
 * one may never end.
 */
export function readSmallFile(file: string, what: string): string {
  try {
    const stats = statSync(file);
    if (!stats.isFile()) throw unusable(file, what, 'it is not a file');
    if (stats.size > MAX_BYTES) throw unusable(file, what, `it has more than ${MAX_BYTES} bytes`);
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof RootwardServerError) throw error;
    throw unusable(file, what, errnoReason(error) ?? String(error), error);
  }
}

function unusable(file: string, what: string, state: string, cause?: unknown): RootwardServerError {
  return new RootwardServerError('usage', `Cannot read ${what} from ${file}: ${state}`, { cause });
}
