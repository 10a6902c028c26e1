import { createHash } from 'node:crypto';
import type { EntryDescription } from '../../scope/operations/entry-description.js';

/** Identifies a folder with all that is in it: names, kinds, modes, contents and where links lead. */
export function treeDigest(entries: ReadonlyMap<string, EntryDescription>): string {
  const hash = createHash('sha256');
  for (const [relative, entry] of [...entries].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    hash.update(`${JSON.stringify([relative, ...fingerprint(entry)])}\n`);
  }
  return hash.digest('hex');
}

function fingerprint(entry: EntryDescription): readonly (string | number)[] {
  switch (entry.kind) {
    case 'file':
      return ['file', entry.mode, entry.hash];
    case 'directory':
      return ['directory', entry.mode];
    case 'link':
      return ['link', entry.target];
    case 'absent':
    case 'other':
      return [entry.kind];
  }
}
