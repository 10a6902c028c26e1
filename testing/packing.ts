import { readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isAlive } from '@rootward/core/platform';

/** One for all processes that test this repository. */
const LOCK = join(
  tmpdir(),
  `rootward-packing-${Buffer.from(import.meta.url)
    .toString('base64url')
    .slice(-60)}`,
);
const LOOK_MS = 100;

/**
 * Packs the packages while nobody else does: npm changes the manifests of some of them meanwhile, which another test must
 * neither see nor undo.
 */
export async function packing<Result>(work: () => Result | Promise<Result>): Promise<Result> {
  while (!isTaken()) await pause(LOOK_MS);
  try {
    return await work();
  } finally {
    rmSync(LOCK, { force: true });
  }
}

/** A link can be made by one only, and says at once who made it. False where another holds it. */
function isTaken(): boolean {
  try {
    symlinkSync(String(process.pid), LOCK);
    return true;
  } catch {
    removeIfLeft();
    return false;
  }
}

function removeIfLeft(): void {
  try {
    if (!isAlive(Number(readlinkSync(LOCK)))) rmSync(LOCK, { force: true });
  } catch {
    // It was given back just now.
  }
}
