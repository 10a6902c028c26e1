import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject, isRunning, thisProcess, type ProcessIdentity } from '@rootward/core/platform';

/** One file of an edit, with what is needed to undo it. */
export interface JournalFile {
  readonly path: string;
  readonly before: string;
  /** SHA-256 of the text after the edit: a file with another text was changed by someone else. */
  readonly after: string;
}

export interface JournalEntry {
  readonly process: ProcessIdentity;
  readonly files: readonly JournalFile[];
}

export interface OpenEntry {
  /** The edit is complete, or undone; nothing is left to recover. */
  close(): Promise<void>;
}

const SUFFIX = '.edit.json';

/**
 * Remembers, outside the workspace, the edits under way, so that one cut off half way can be undone by the process that comes
 * next. Its folder holds file contents and is readable by its owner alone.
 */
export class EditJournal {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** On disk when it returns. */
  async begin(files: readonly JournalFile[]): Promise<OpenEntry> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const path = join(this.#folder, `${randomUUID()}${SUFFIX}`);
    const handle = await open(path, 'wx', 0o600);
    try {
      const entry: JournalEntry = { process: thisProcess(), files };
      await handle.writeFile(JSON.stringify(entry));
      await handle.sync();
    } finally {
      await handle.close();
    }
    return { close: () => unlink(path) };
  }

  /** Edits whose process is gone. */
  async abandoned(): Promise<readonly (JournalEntry & OpenEntry)[]> {
    const entries: (JournalEntry & OpenEntry)[] = [];
    for (const name of await this.#names()) {
      const path = join(this.#folder, name);
      const entry = await readEntry(path);
      if (entry !== undefined && !isRunning(entry.process)) {
        entries.push({ ...entry, close: () => unlink(path).catch(() => undefined) });
      }
    }
    return entries;
  }

  async #names(): Promise<readonly string[]> {
    try {
      return (await readdir(this.#folder)).filter((name) => name.endsWith(SUFFIX)).toSorted();
    } catch {
      return [];
    }
  }
}

export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Undefined for an entry that is cut short: then no file has been touched, since it is written before any of them. */
async function readEntry(path: string): Promise<JournalEntry | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(path, 'utf8'));
    return isEntry(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isEntry(value: unknown): value is JournalEntry {
  return isObject(value) && Array.isArray(value['files']) && isObject(value['process']);
}
