import { RootwardError } from '@rootward/core';
import type { LoadedSettings } from '../../settings/load-settings.js';
import { namedPath } from '../../settings/named-path.js';
import { painter } from '../output/paint.js';
import { shownPath } from '../output/shown-path.js';
import { FAILED, FINE, printJson, displayFor, type Terminal } from '../output/terminal.js';
import { openWorkspace, warnOfVariables } from './roots.js';

/** Says whether a path is in scope; relative ones are relative to the shell's directory, as in any command. */
export async function runContains(
  settings: LoadedSettings,
  path: string,
  { json }: { readonly json: boolean },
  terminal: Terminal,
): Promise<number> {
  using workspace = await openWorkspace(settings, terminal);
  warnOfVariables(settings, terminal);
  const isUri = /^file:/i.test(path);
  const asked = isUri || path === '' ? path : namedPath(path, terminal.start);
  const paint = painter(displayFor(terminal, 'out'));
  try {
    const { root } = workspace.scope().locate(asked);
    const { path: inside, source, access } = root;
    if (json) printJson(terminal, { path, inScope: true, root: { path: inside, source, access } });
    else {
      const facts = access === 'read-only' ? `${source}, read-only` : source;
      terminal.out(`${paint('good', 'in scope:')} ${oneLine(path)} is inside ${inside} (${facts})\n`);
    }
    return FINE;
  } catch (error) {
    if (!(error instanceof RootwardError)) throw error;
    const { code } = error;
    const message =
      isUri || asked === '' ? error.message : error.message.replace(asked, () => shownPath(asked));
    if (json) printJson(terminal, { path, inScope: false, code, message });
    else terminal.out(`${paint('bad', 'not in scope:')} ${oneLine(message)}\n`);
    return FAILED;
  }
}

/** A path may hold lines of its own, which a reader of the output would take for ours. */
function oneLine(text: string): string {
  return text.replaceAll(/\p{Cc}+/gu, ' ');
}
