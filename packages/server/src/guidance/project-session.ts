import { lstatSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { WORKSPACE_RULES_FILE, type Project } from '@rootward/core';
import { readWorkspaceRules } from '../settings/workspace-rules.js';
import type { BrokenRules, KeptRulesOf, RulesReading, WorkspaceRules } from '../settings/workspace-rules.js';
import { settleCategories, type Category } from './category.js';

/** What is said about a project, in its own file and in that of its user. */
export interface ProjectSettings {
  readonly categories: readonly Category[];
  /** Files that could not be used, and so changed nothing. */
  readonly problems: readonly BrokenRules[];
}

/** One project as a connection, or a request that stands alone, knows it. */
export class ProjectSession {
  readonly project: Project;
  readonly #store: SettingsReader | undefined;
  #settings: ProjectSettings | undefined;
  #stamp: string | undefined;

  constructor(project: Project, store: SettingsReader | undefined) {
    this.project = project;
    this.#store = store;
  }

  /** Read on first use, and again once a file is another one. */
  settings(): ProjectSettings {
    const stamp = this.#readStamp();
    if (this.#settings === undefined || stamp !== this.#stamp) {
      this.#settings = this.#read();
      this.#stamp = stamp;
    }
    return this.#settings;
  }

  get #ownFile(): string | undefined {
    const { path } = this.project;
    return path === undefined ? undefined : join(path, WORKSPACE_RULES_FILE);
  }

  #read(): ProjectSettings {
    const { id, path } = this.project;
    const problems: BrokenRules[] = [];
    const use = (reading: RulesReading, file: string | undefined): WorkspaceRules | undefined => {
      if (reading === undefined || !('problem' in reading)) return reading;
      if (file !== undefined) problems.push({ file, problem: reading.problem });
      return undefined;
    };
    const own = use(path === undefined ? undefined : readWorkspaceRules(path), this.#ownFile);
    const user = use(this.#store?.read(id), this.#store?.fileOf(id));
    return { categories: settleCategories(own?.categories, user?.categories), problems };
  }

  #readStamp(): string {
    const own = this.#ownFile;
    return JSON.stringify([
      own === undefined ? undefined : stampOf(lstatSync(own, QUIET)),
      this.#store === undefined ? undefined : stampOf(statSync(this.#store.fileOf(this.project.id), QUIET)),
    ]);
  }
}

const QUIET = { throwIfNoEntry: false } as const;

interface Stamped {
  readonly ino: number;
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
}

function stampOf(stats: Stamped | undefined): readonly number[] | undefined {
  return stats === undefined ? undefined : [stats.ino, stats.size, stats.mtimeMs, stats.ctimeMs];
}

/** Where a user's settings of a project are read. */
export interface SettingsReader {
  fileOf(id: string): string;
  read(id: string): RulesReading;
  /** Undefined where nothing is kept about any folder. */
  rules(): KeptRulesOf | undefined;
}
