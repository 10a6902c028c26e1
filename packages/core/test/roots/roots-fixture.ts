import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TemporaryDirectory {
  /** Canonical. */
  readonly path: string;
  remove(): Promise<void>;
}

export async function makeTemporaryDirectory(): Promise<TemporaryDirectory> {
  const path = await realpath(await mkdtemp(join(tmpdir(), 'rootward-roots-')));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

/** A failure as `node:fs` reports it. */
export function diskError(code: string): Error {
  return Object.assign(new Error(code), { code });
}
