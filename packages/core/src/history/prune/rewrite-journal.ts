import { closeSync, fstatSync, readSync, renameSync, unlinkSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { JOURNAL_FILE, openIfThere } from '../journal/journal.js';
import { decodeLine } from '../journal/line.js';
import { Pacer } from '../../platform/pacing.js';
import type { PrivateDirectory } from '../store/private-directory.js';
import { createPrivate, openToAppend, writeWhole } from '../store/private-file.js';

const CHUNK = 1024 * 1024;
const LINE_BREAK = 0x0a;

/**
 * Replaces a journal by one that has only the changes with these ids, and younger ones. What others add
 * to the old one until they notice is carried over; a line may then be there twice.
 */
export async function rewriteJournal(
  directory: PrivateDirectory,
  ids: ReadonlySet<string>,
  before: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const path = directory.child(JOURNAL_FILE);
  const old = openIfThere(path);
  if (old === undefined) return;
  const shorter = directory.child(`${JOURNAL_FILE}.${randomBytes(6).toString('hex')}`);
  let made: number | undefined;
  try {
    made = createPrivate(shorter);
    const young = new Set<string>();
    const isKept = (bytes: Buffer): boolean => {
      const line = decodeLine(bytes);
      if (line === undefined) return false;
      if (line.type === 'change' && line.at > before) young.add(line.id);
      return ids.has(line.id) || young.has(line.id);
    };
    const pacer = new Pacer(signal);
    const end = await copyLines(old, 0, made, isKept, pacer);
    renameSync(shorter, path);
    // A process that wrote to the old one before it was replaced may not have noticed; one that writes now will.
    const late = openToAppend(path);
    try {
      await copyLines(old, end, late, () => true, new Pacer());
    } finally {
      closeSync(late);
    }
  } catch (error) {
    try {
      unlinkSync(shorter);
    } catch {
      // It was never made, or is already in place.
    }
    throw error;
  } finally {
    closeSync(old);
    if (made !== undefined) closeSync(made);
  }
}

/** Returns how far it has read. */
async function copyLines(
  from: number,
  start: number,
  to: number,
  isKept: (line: Buffer) => boolean,
  pacer: Pacer,
): Promise<number> {
  const size = fstatSync(from).size;
  let rest: Buffer = Buffer.alloc(0);
  for (let position = start; position < size;) {
    if (pacer.due) await pacer.rest();
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK, size - position));
    const count = readSync(from, chunk, 0, chunk.length, position);
    if (count === 0) break;
    position += count;
    const bytes = Buffer.concat([rest, chunk.subarray(0, count)]);
    const kept: Buffer[] = [];
    let begin = 0;
    for (let at = bytes.indexOf(LINE_BREAK); at >= 0; at = bytes.indexOf(LINE_BREAK, begin)) {
      const line = bytes.subarray(begin, at);
      if (line.length > 0 && isKept(line)) kept.push(line, Buffer.from('\n'));
      begin = at + 1;
    }
    rest = bytes.subarray(begin);
    if (kept.length > 0) writeWhole(to, Buffer.concat(kept));
  }
  return size;
}
