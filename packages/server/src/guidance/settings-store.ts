import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { mkdir, open, realpath, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { projectOf } from '@rootward/core';
import { checkRules, readRulesFile } from '../settings/workspace-rules.js';
import type { RulesReading, WorkspaceRules } from '../settings/workspace-rules.js';
import { RootwardServerError } from '../error.js';
import { withFileLock } from './file-lock.js';
import type { SettingsReader } from './project-session.js';
import { settingsFileName } from './settings-file-name.js';

const FOLDER = 'projects';

/** What users keep about their projects outside of them: one file per project id, none until something is written. */
export class ProjectSettingsStore implements SettingsReader {
  /** Steers the fence, so it must not be changed through it. */
  readonly directory: string;

  /** `userDirectory`: where this user's configuration is. */
  constructor(userDirectory: string) {
    this.directory = join(userDirectory, FOLDER);
  }

  fileOf(id: string): string {
    return join(this.directory, settingsFileName(id));
  }

  read(id: string): RulesReading {
    return readRulesFile(this.fileOf(id));
  }

  /**
   * What the user says of each folder, for the rules of a scope. Undefined where there are no files: then thousands of
   * folders need not be looked up one by one.
   */
  rules(): ((folder: string) => RulesReading) | undefined {
    const names = new Set(this.#names());
    if (names.size === 0) return undefined;
    return (folder) => {
      const { id } = projectOf({ path: folder, source: 'config' });
      return names.has(settingsFileName(id)) ? this.read(id) : undefined;
    };
  }

  /**
   * Changes the settings of a project: under a lock, so that no change is lost to another process, and in one step, so
   * that no reader ever sees half a file. A file that cannot be used is left for its author to correct.
   */
  async update(
    id: string,
    change: (before: WorkspaceRules) => WorkspaceRules,
    signal?: AbortSignal,
  ): Promise<WorkspaceRules> {
    const file = this.fileOf(id);
    await mkdir(this.directory, { recursive: true, mode: 0o700 });
    return withFileLock(
      `${file}.lock`,
      async () => {
        const before = this.read(id) ?? {};
        if ('problem' in before) throw unusable(file, before.problem);
        const after = checkRules(change(before));
        if ('problem' in after) throw unusable(file, after.problem);
        await replaceFile(file, `${JSON.stringify(after, undefined, 2)}\n`);
        return after;
      },
      signal === undefined ? {} : { signal },
    );
  }

  #names(): readonly string[] {
    try {
      return readdirSync(this.directory);
    } catch {
      return [];
    }
  }
}

function unusable(file: string, problem: string): RootwardServerError {
  return new RootwardServerError('configuration', `Cannot change ${file}: ${problem}`);
}

/** A link stays a link: users keep their settings in folders of their own. */
async function replaceFile(file: string, text: string): Promise<void> {
  const target = await realpath(file).catch(() => file);
  const temporary = join(dirname(target), `.${randomUUID()}.tmp`);
  const handle = await open(temporary, 'wx', 0o600);
  try {
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
