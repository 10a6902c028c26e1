import { realpath } from 'node:fs/promises';
import { projectOf } from '@rootward/core';
import { userDirectory } from '@rootward/core/platform';
import type { WorkspaceRules } from '../../settings/workspace-rules.js';
import { RootwardServerError } from '../../error.js';
import { ProjectSettingsStore } from '../../guidance/settings-store.js';
import { namedPath } from '../../settings/named-path.js';
import { painter } from '../output/paint.js';
import { shownPath } from '../output/shown-path.js';
import { FINE, printJson, displayFor, type Terminal } from '../output/terminal.js';

/** What is to be added. Nothing of it shows what is there. */
export interface SettingsFlags {
  readonly json?: boolean;
  readonly deny?: readonly string[];
  readonly readOnly?: boolean;
  /** As `NAME=FOLDER`. */
  readonly category?: readonly string[];
}

/** Shows what the user keeps about a project outside of it, or adds to it. It only ever tightens, and names guidance. */
export async function runSettings(
  directory: string | undefined,
  flags: SettingsFlags,
  terminal: Terminal,
): Promise<number> {
  const { start } = terminal;
  const path = await canonical(namedPath(directory ?? '.', start));
  const { id } = projectOf({ path, source: 'flag' });
  const store = new ProjectSettingsStore(userDirectory(start));
  const { deny = [], readOnly = false, category = [] } = flags;
  const adds = deny.length > 0 || readOnly || category.length > 0;
  const settings = adds ? await store.update(id, (before) => added(before, flags)) : readSettings(store, id);
  const file = store.fileOf(id);
  if (flags.json === true) {
    printJson(terminal, { project: id, file, settings: settings ?? null });
    return FINE;
  }
  const state = settings === undefined ? 'nothing is kept' : JSON.stringify(settings, undefined, 2);
  terminal.out(`${painter(displayFor(terminal, 'out'))('title', file)}\n${state}\n`);
  return FINE;
}

async function canonical(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (cause) {
    throw new RootwardServerError('usage', `Cannot use ${shownPath(path)}: it does not exist`, { cause });
  }
}

function readSettings(store: ProjectSettingsStore, id: string): WorkspaceRules | undefined {
  const reading = store.read(id);
  if (reading === undefined || !('problem' in reading)) return reading;
  throw new RootwardServerError('configuration', `Cannot use ${store.fileOf(id)}: ${reading.problem}`);
}

function added(before: WorkspaceRules, { deny, readOnly, category }: SettingsFlags): WorkspaceRules {
  const categories = (category ?? []).map(readCategory);
  return {
    ...before,
    ...(deny !== undefined && { deny: [...new Set([...(before.deny ?? []), ...deny])] }),
    ...(readOnly === true && { readOnly: true }),
    ...(categories.length > 0 && { categories: { ...before.categories, ...Object.fromEntries(categories) } }),
  };
}

function readCategory(text: string): readonly [name: string, rule: { readonly dir: string }] {
  const split = text.indexOf('=');
  if (split > 0) return [text.slice(0, split), { dir: text.slice(split + 1) }];
  throw new RootwardServerError('usage', `Cannot use "${text}" as --category: expected NAME=FOLDER`);
}
