import { isAbsolute, sep } from 'node:path';
import { RootwardError } from '@rootward/core';
import type { LoadedSettings } from '../../configuration/load-settings.js';
import type { Terminal } from '../terminal.js';
import { FAILED, FINE } from '../terminal.js';
import { openWorkspace } from './roots.js';

/** Says whether a path is in scope; relative ones are relative to the shell's directory, as in any command. */
export async function runContains(
  settings: LoadedSettings,
  path: string,
  terminal: Terminal,
): Promise<number> {
  using workspace = await openWorkspace(settings, terminal);
  const isUri = /^file:/i.test(path);
  const asked = isUri || path === '' || isAbsolute(path) ? path : `${terminal.around.directory}${sep}${path}`;
  try {
    const { root } = workspace.scope().locate(asked);
    terminal.out(`in scope: ${path} is inside ${root.path} (${root.source})\n`);
    return FINE;
  } catch (error) {
    if (!(error instanceof RootwardError)) throw error;
    terminal.out(`not in scope: ${error.message}\n`);
    return FAILED;
  }
}
