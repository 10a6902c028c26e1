import { unlink } from 'node:fs/promises';
import type { FileChange, PlanContext } from './plan.js';
import { digestOf } from './receipts.js';
import { makeFoldersFor, removeEmpty, writeWhole } from './write-file.js';

/** New files of a project are for everyone who works on it; those of the home directory may hold tokens later. */
const MODES = { project: 0o644, user: 0o600 } as const;

/** A file that was written or removed, and where the former one is kept. */
export interface Applied {
  readonly file: string;
  readonly action: 'created' | 'changed' | 'removed';
  readonly copy?: string;
}

export async function applyInstall(
  changes: readonly FileChange[],
  context: PlanContext,
): Promise<readonly Applied[]> {
  const applied: Applied[] = [];
  for (const { file, before, after, mode, created, receipt } of changes) {
    if (after === undefined || after === before) continue;
    const folders = await makeFoldersFor(file);
    const copy = before === undefined ? undefined : await context.receipts.copy(before);
    // The receipt comes first: one without a change is harmless, a change without one cannot be taken back exactly.
    await context.receipts.keep({
      file,
      client: context.client,
      server: context.server,
      wrote: digestOf(after),
      ...formerState(before, copy?.digest, receipt),
      created,
      folders: receipt === undefined ? folders : [...receipt.folders, ...folders],
    });
    await writeWhole(file, after, mode ?? MODES[context.scope]);
    applied.push({
      file,
      action: before === undefined ? 'created' : 'changed',
      ...(copy !== undefined && { copy: copy.path }),
    });
  }
  return applied;
}

/**
 * What to give back. Where an earlier install is being changed, that is what was there before it, unless someone else
 * changed the file in between: then only the entry is taken out.
 */
function formerState(
  before: string | undefined,
  digest: string | undefined,
  receipt: FileChange['receipt'],
): { readonly before?: string | null } {
  if (receipt === undefined) return { before: digest ?? null };
  if (before !== undefined && receipt.wrote === digestOf(before) && receipt.before !== undefined) {
    return { before: receipt.before };
  }
  return {};
}

export async function applyUninstall(
  changes: readonly FileChange[],
  context: PlanContext,
): Promise<readonly Applied[]> {
  const applied: Applied[] = [];
  const folders: string[] = [];
  for (const { file, before, after, mode, receipt } of changes) {
    if (before !== undefined && after !== before) {
      if (after === undefined) await unlink(file);
      else await writeWhole(file, after, mode);
      applied.push({ file, action: after === undefined ? 'removed' : 'changed' });
    }
    if (receipt === undefined) continue;
    folders.push(...receipt.folders);
    await context.receipts.drop(receipt);
  }
  await removeEmpty(folders);
  return applied;
}
