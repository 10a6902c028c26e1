import type { Scope } from '@rootward/core';
import { suggest } from '@rootward/core/platform';
import type { History } from '@rootward/core/history';
import { visibleChanges, type ListedChange, type VisibleChange } from '../../../history/listed-change.js';
import type { LoadedSettings } from '../../../settings/load-settings.js';
import { displayFor, FAILED, FINE, printJson, type Status, type Terminal } from '../../output/terminal.js';
import { harmless, painter } from '../../output/paint.js';
import {
  commandFor,
  isFolder,
  placesOf,
  readSelection,
  withHistory,
  wrongUse,
  type SelectionFlags,
} from './open-history.js';
import { showChange } from './show-change.js';
import { showChanges } from './show-changes.js';

export interface HistoryFlags extends SelectionFlags {
  readonly limit?: string;
}

const DEFAULT_LIMIT = 20;

const ACTIONS = ['show', 'prune'] as const;

/** What was asked for; to list the changes where there is no action. */
interface HistoryWords {
  readonly action: (typeof ACTIONS)[number] | undefined;
  readonly id: string | undefined;
  readonly directories: readonly string[];
}

/** `history`, `history show ID` and `history prune`, each with folders behind it. */
export function readHistoryWords(words: readonly string[], start: Terminal['start']): HistoryWords {
  const [first, ...rest] = words;
  const action = ACTIONS.find((name) => name === first);
  if (action === 'prune') return { action, id: undefined, directories: rest };
  if (action === 'show') {
    const [id, ...directories] = rest;
    if (id === undefined) throw wrongUse('Cannot show a change: write its id, as in history show ID');
    return { action, id, directories };
  }
  if (first !== undefined && !isFolder(first, start)) {
    const hint = suggest(first, ACTIONS) || '; expected a folder, show ID or prune';
    throw wrongUse(`Cannot use ${JSON.stringify(first)}: it is not a folder${hint}`);
  }
  return { action: undefined, id: undefined, directories: words };
}

/** Lists changes, shows one or enforces the bounds. */
export async function runHistory(
  { action, id }: HistoryWords,
  settings: LoadedSettings,
  flags: HistoryFlags,
  terminal: Terminal,
  status: Status,
): Promise<number> {
  return withHistory(settings, terminal, async (history, scope) => {
    if (action === 'prune') return prune(history, flags, terminal, status);
    if (id !== undefined) return show(history, scope, id, flags, terminal);
    return list(history, scope, flags, terminal);
  });
}

async function list(
  history: History,
  scope: Scope,
  flags: HistoryFlags,
  terminal: Terminal,
): Promise<number> {
  const limit = readLimit(flags.limit);
  const changes: VisibleChange[] = [];
  let more = false;
  for await (const change of visibleChanges(history, scope, readSelection(flags, scope, terminal.start))) {
    more = changes.length === limit;
    if (more) break;
    changes.push(change);
  }
  if (flags.json === true) {
    printJson(terminal, { directory: history.directory, changes: changes.map(({ listed }) => listed), more });
    return FINE;
  }
  if (changes.length === 0) {
    const isSelection = [flags.path, flags.since, flags.session].some((flag) => flag !== undefined);
    terminal.out(`No ${isSelection ? 'such changes' : 'changes'} in ${placesOf(scope)}\n`);
    return FINE;
  }
  terminal.out(await showChanges(history, scope, changes, { more, display: displayFor(terminal, 'out') }));
  return FINE;
}

async function show(
  history: History,
  scope: Scope,
  id: string,
  { json }: HistoryFlags,
  terminal: Terminal,
): Promise<number> {
  for await (const { change, listed } of visibleChanges(history, scope, {})) {
    if (change.id !== id) continue;
    const { text, diffs } = await showChange(history, scope, change, listed, displayFor(terminal, 'out'));
    if (json === true) printJson(terminal, { ...(listed satisfies ListedChange), diffs });
    else terminal.out(text);
    return FINE;
  }
  throw wrongUse(
    `Cannot show ${JSON.stringify(id)}: there is no such change here; those there are: ${commandFor(['history'], scope, terminal.start)}`,
  );
}

async function prune(
  history: History,
  { json }: HistoryFlags,
  terminal: Terminal,
  status: Status,
): Promise<number> {
  status.say('Tidying up the history');
  const result = await history.prune();
  if (result === undefined) {
    if (json === true) printJson(terminal, { busy: true });
    else terminal.err('rootward: another process is tidying up the history\n');
    return FAILED;
  }
  if (json === true) printJson(terminal, result);
  else {
    const paint = painter(displayFor(terminal, 'out'));
    const { changes, bytes, kept } = result;
    terminal.out(
      harmless(
        `${paint('title', history.directory)}: forgot ${changes} changes, freed ${bytes} bytes, keeps ${kept} bytes\n`,
      ),
    );
  }
  return FINE;
}

function readLimit(text: string | undefined): number {
  if (text === undefined) return DEFAULT_LIMIT;
  const limit = Number(text);
  if (Number.isSafeInteger(limit) && limit > 0) return limit;
  throw wrongUse(`Cannot use ${JSON.stringify(text)} as --limit: expected a number of 1 or more`);
}
