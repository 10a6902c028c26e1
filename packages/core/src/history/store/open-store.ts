import { opendirSync } from 'node:fs';
import type { Platform } from '../../scope/pin/pin.js';
import { ContentStore } from './content-store.js';
import { PrivateDirectory } from './private-directory.js';
import { TreeStore } from './tree-store.js';

const CONTENTS = 'contents';
const TREES = 'trees';
const PROJECTS = 'projects';

/** The folders of a history, held open. */
export class OpenStore {
  readonly base: PrivateDirectory;
  readonly contents: ContentStore;
  readonly trees: TreeStore;
  readonly contentsDirectory: PrivateDirectory;
  readonly treesDirectory: PrivateDirectory;
  readonly #projects: PrivateDirectory;

  private constructor(
    folders: Record<'base' | 'contents' | 'trees' | 'projects', PrivateDirectory>,
    platform: Platform,
  ) {
    this.base = folders.base;
    this.contentsDirectory = folders.contents;
    this.treesDirectory = folders.trees;
    this.#projects = folders.projects;
    this.contents = new ContentStore(folders.contents);
    this.trees = new TreeStore(folders.trees, platform);
  }

  /** Undefined if there is no history and `create` is false. */
  static open(directory: string, platform: Platform, create: boolean): OpenStore | undefined {
    const base = PrivateDirectory.open(directory, platform, create);
    if (base === undefined) return undefined;
    const opened: PrivateDirectory[] = [base];
    const folder = (name: string): PrivateDirectory | undefined => {
      const made = base.directory(name, create);
      if (made !== undefined) opened.push(made);
      return made;
    };
    try {
      const [contents, trees, projects] = [folder(CONTENTS), folder(TREES), folder(PROJECTS)];
      if (contents !== undefined && trees !== undefined && projects !== undefined) {
        return new OpenStore({ base, contents, trees, projects }, platform);
      }
    } catch (error) {
      for (const each of opened) each.close();
      throw error;
    }
    for (const each of opened) each.close();
    return undefined;
  }

  /** Whether somebody has removed it meanwhile. */
  get isGone(): boolean {
    return [this.base, this.contentsDirectory, this.treesDirectory, this.#projects].some(
      ({ isGone }) => isGone,
    );
  }

  /** The folder of one project; the caller closes it. */
  project(name: string, create: boolean): PrivateDirectory | undefined {
    return this.#projects.directory(name, create);
  }

  /** The names of all projects. */
  projectNames(): readonly string[] {
    return entriesOf(this.#projects);
  }

  close(): void {
    for (const each of [this.contentsDirectory, this.treesDirectory, this.#projects, this.base]) each.close();
  }
}

export function entriesOf(directory: PrivateDirectory): readonly string[] {
  const handle = opendirSync(directory.self);
  try {
    const names: string[] = [];
    for (let entry = handle.readSync(); entry !== null; entry = handle.readSync()) names.push(entry.name);
    return names;
  } finally {
    handle.closeSync();
  }
}
