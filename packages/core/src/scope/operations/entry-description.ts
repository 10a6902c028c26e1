import { closeSync, readdirSync } from 'node:fs';
import type { Entry } from '../gate/gate.js';
import { changedMeanwhile } from '../gate/refusal.js';
import { isTemporaryName } from './temporary-files.js';
import { hashDescriptor } from '../recording/content-hash.js';
import { priorAt, type Prior } from '../recording/recorder.js';

/** What is at a path. A link is not followed. */
export type EntryDescription =
  | { readonly kind: 'absent' }
  | { readonly kind: 'file'; readonly size: number; readonly mode: number; readonly hash: string }
  | { readonly kind: 'directory'; readonly mode: number; readonly empty: boolean }
  | { readonly kind: 'link'; readonly target: string }
  | { readonly kind: 'other' };

/** Whether an entry is still what a change was computed from. */
export type ExpectEntry = (found: EntryDescription) => boolean;

const PERMISSION_BITS = 0o7777;

/** Describes what is at a name; a link is not followed. */
export async function describeChild(child: string): Promise<EntryDescription> {
  const prior = priorAt(child);
  if (prior === undefined) return { kind: 'absent' };
  return describePrior(prior, () => readdirSync(child).every(isTemporaryName));
}

export async function describePrior(prior: Prior, isEmpty: () => boolean): Promise<EntryDescription> {
  const { stats } = prior;
  const mode = stats.mode & PERMISSION_BITS;
  if (stats.isSymbolicLink()) return { kind: 'link', target: prior.target() };
  if (stats.isDirectory()) return { kind: 'directory', mode, empty: isEmpty() };
  if (!stats.isFile()) return { kind: 'other' };
  const fd = prior.open();
  try {
    return { kind: 'file', mode, ...(await hashDescriptor(fd)) };
  } finally {
    closeSync(fd);
  }
}

/** A check that an entry is still what a change was computed from; undefined where there is nothing to check. */
export function expectEntry(
  action: string,
  asked: string,
  { child }: Entry,
  expected: ExpectEntry | undefined,
): (() => Promise<void>) | undefined {
  if (expected === undefined) return undefined;
  return async () => {
    if (!expected(await describeChild(child))) throw changedMeanwhile(action, asked);
  };
}
