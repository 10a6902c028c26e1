import { RootwardError } from '@rootward/core';
import { undoSelected } from '../../../history/undo-selection.js';
import type { LoadedSettings } from '../../../settings/load-settings.js';
import { harmless, painter } from '../../output/paint.js';
import { quoteForShell } from '../../output/quote-for-shell.js';
import { displayFor, FINE, printJson, type Status, type Terminal } from '../../output/terminal.js';
import {
  commandFor,
  placesOf,
  readSelection,
  withHistory,
  wrongUse,
  type SelectionFlags,
} from './open-history.js';

export interface UndoFlags extends SelectionFlags {
  readonly dryRun?: boolean;
  readonly force?: boolean;
}

const MAX_SHOWN = 50;

/** Takes back one change, or all of a session or since a time, as far as a server here may see them. */
export async function runUndo(
  id: string | undefined,
  settings: LoadedSettings,
  flags: UndoFlags,
  terminal: Terminal,
  status: Status,
): Promise<number> {
  if (id === undefined && flags.since === undefined && flags.session === undefined) {
    throw wrongUse('Cannot undo: name a change by its id, or pass --since or --session');
  }
  return withHistory(settings, terminal, async (history, scope) => {
    const result = await undoSelected(
      history,
      scope,
      { ...readSelection(flags, scope, terminal.start), id },
      {
        about: { tool: 'rootward undo' },
        dryRun: flags.dryRun,
        force: flags.force,
        onProgress: (files) => status.say(`Restoring: ${files} files`),
      },
    ).catch((error: unknown) => {
      throw withCommand(error, id, flags, (words) => commandFor(words, scope, terminal.start));
    });
    if (flags.json === true) {
      printJson(terminal, { applied: result.id !== undefined, ...result });
      return FINE;
    }
    const paint = painter(displayFor(terminal, 'out'));
    const { restored, lost } = result;
    if (restored.length === 0) terminal.out(`Nothing to undo in ${placesOf(scope)}\n`);
    else {
      const head = flags.dryRun === true ? 'Would restore:' : 'Restored:';
      const more = restored.length - MAX_SHOWN;
      const lines = [
        paint('title', head),
        ...restored.slice(0, MAX_SHOWN).map((path) => `  ${harmless(path)}`),
        ...(more > 0 ? [`  and ${more} more`] : []),
        ...lost.map((path) => paint('doubtful', `  not kept, and so not restored: ${harmless(path)}`)),
        ...(result.id === undefined
          ? []
          : [paint('quiet', `To take this back: ${commandFor(['undo', result.id], scope, terminal.start)}`)]),
      ];
      terminal.out(`${lines.join('\n')}\n`);
    }
    return FINE;
  });
}

/** An error with the command that leads on, where there is one. */
function withCommand(
  error: unknown,
  id: string | undefined,
  { since, session, path }: UndoFlags,
  command: (words: readonly string[]) => string,
): unknown {
  if (!(error instanceof RootwardError)) return error;
  const hint = (text: string): RootwardError =>
    new RootwardError(error.code, `${error.message}; ${text}`, {
      ...(error.path !== undefined && { path: error.path }),
      cause: error,
    });
  if (error.code === 'unknown-change') return hint(`those there are: ${command(['history'])}`);
  if (error.code !== 'changed-since') return error;
  const given = Object.entries({ since, session, path }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, quoteForShell(value)],
  );
  const words = ['undo', ...(id === undefined ? [] : [id]), ...given, '--force'];
  return hint(`to undo it all the same, and keep what is there now: ${command(words)}`);
}
