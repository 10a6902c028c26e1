import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { mkdir, open, realpath, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { choiceId, projectOf } from '@rootward/core';
import { errnoOf, ProcessLocks } from '@rootward/core/platform';
import { findDanglingLink } from '../settings/configuration-file.js';
import { checkRules, readRulesFile } from '../settings/workspace-rules.js';
import type {
  BrokenReading,
  KeptRulesOf,
  RulesReading,
  WorkspaceRules,
} from '../settings/workspace-rules.js';
import { RootwardServerError } from '../error.js';
import type { SettingsReader } from './project-session.js';
import { settingsFileName } from './settings-file-name.js';

const FOLDER = 'projects';

/** What users keep about their projects outside of them: one file per project id, none until something is written. */
export class ProjectSettingsStore implements SettingsReader {
  /** Steers the fence, so it must not be changed through it. */
  readonly directory: string;
  readonly #locks: ProcessLocks;

  /** `userDirectory`: where this user's configuration is. */
  constructor(userDirectory: string) {
    this.directory = join(userDirectory, FOLDER);
    this.#locks = new ProcessLocks(this.directory);
  }

  fileOf(id: string): string {
    return join(this.directory, settingsFileName(id));
  }

  read(id: string): RulesReading {
    const names = this.#names();
    return 'problem' in names ? names : readRulesFile(this.fileOf(id));
  }

  /**
   * What the user says of each folder, for the rules of a scope. Undefined where there are no files: then thousands of
   * folders need not be looked up one by one. Where nobody can tell which files there are, each folder may have one that
   * denies everything.
   */
  rules(): KeptRulesOf | undefined {
    const names = this.#names();
    if ('problem' in names) return () => [{ file: this.directory, reading: names }];
    if (names.size === 0) return undefined;
    return (path) => {
      // A folder keeps the rules of its own path, whatever project its `.git` says that it belongs to.
      const ids = new Set([projectOf({ path, source: 'config' }).id, choiceId({ path })]);
      return [...ids].flatMap((id) => {
        const reading = names.has(settingsFileName(id)) ? readRulesFile(this.fileOf(id)) : undefined;
        return reading === undefined ? [] : [{ file: this.fileOf(id), reading }];
      });
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
    const replace = async (): Promise<WorkspaceRules> => {
      const before = this.read(id) ?? {};
      if ('problem' in before) throw unusable(file, before.problem);
      const after = checkRules(change(before));
      if ('problem' in after) throw unusable(file, after.problem);
      await replaceFile(file, `${JSON.stringify(after, undefined, 2)}\n`);
      return after;
    };
    try {
      return await this.#locks.hold([`${basename(file)}.lock`], replace, { signal });
    } catch (error) {
      if (errnoOf(error) === 'ELOCKED') throw unusable(file, 'another process is still changing it');
      throw error;
    }
  }

  #names(): ReadonlySet<string> | BrokenReading {
    try {
      return new Set(readdirSync(this.directory));
    } catch (error) {
      const code = errnoOf(error);
      if (code === 'ENOENT' && findDanglingLink(this.directory) === undefined) return NO_NAMES;
      return { problem: `the folder of these settings cannot be read (${code ?? String(error)})` };
    }
  }
}

const NO_NAMES: ReadonlySet<string> = new Set();

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
