import { closeSync, fstatSync, readSync } from 'node:fs';
import { basename } from 'node:path';
import type { Root } from '../../roots/root.js';
import { projectOf } from '../../project/project.js';
import { Journal, openIfThere } from './journal.js';
import type { ContentStore } from '../store/content-store.js';
import type { PrivateDirectory } from '../store/private-directory.js';
import { openToAppend, usingDescriptor, writeWhole } from '../store/private-file.js';
import type { TreeStore } from '../store/tree-store.js';

/** The roots a journal belongs to, one JSON string per line. */
const ROOTS_FILE = 'roots';
const MAX_NAME = 40;
const MAX_ROOTS_BYTES = 1024 * 1024;

/** Where the changes of one project go. */
export interface OpenProject {
  readonly journal: Journal;
  readonly contents: ContentStore;
  readonly trees: TreeStore;
}

/** The name of a project's folder: readable, and unlike that of any other project. */
export function journalName(root: Pick<Root, 'path' | 'source'>): string {
  const { name, id } = projectOf(root);
  const readable = name.replaceAll(/[^\w.-]/g, '_').slice(0, MAX_NAME);
  return `${readable === '' || readable.startsWith('.') ? `project${readable}` : readable}-${id.slice(-8)}`;
}

/** One journal, and the roots it belongs to. */
export class ProjectJournal {
  readonly journal: Journal;
  readonly #directory: PrivateDirectory;
  #roots: Set<string> | undefined;

  constructor(directory: PrivateDirectory) {
    this.#directory = directory;
    this.journal = new Journal(directory);
  }

  get name(): string {
    return basename(this.#directory.path);
  }

  get directory(): PrivateDirectory {
    return this.#directory;
  }

  roots(): ReadonlySet<string> {
    this.#roots ??= new Set(readRoots(this.#directory.child(ROOTS_FILE)));
    return this.#roots;
  }

  /** Makes the journal visible to a reader who has only this root. */
  addRoot(path: string): void {
    const roots = this.roots();
    if (roots.has(path)) return;
    const line = Buffer.from(`${JSON.stringify(path)}\n`);
    usingDescriptor(openToAppend(this.#directory.child(ROOTS_FILE)), (fd) => writeWhole(fd, line));
    this.#roots = new Set([...roots, path]);
  }

  close(): void {
    this.journal.close();
    this.#directory.close();
  }
}

function readRoots(file: string): readonly string[] {
  const fd = openIfThere(file);
  if (fd === undefined) return [];
  try {
    const buffer = Buffer.alloc(Math.min(fstatSync(fd).size, MAX_ROOTS_BYTES));
    const text = buffer.toString('utf8', 0, readSync(fd, buffer, 0, buffer.length, 0));
    return text.split('\n').flatMap((line) => {
      try {
        const path: unknown = JSON.parse(line);
        return typeof path === 'string' ? [path] : [];
      } catch {
        return [];
      }
    });
  } finally {
    closeSync(fd);
  }
}
