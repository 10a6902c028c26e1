import { Workspace } from '@rootward/core';
import type { Snapshot } from '@rootward/core';
import type { LoadedSettings } from '../../configuration/load-settings.js';
import { prepareServing } from '../../serve/serving.js';
import { showSnapshot } from '../show-snapshot.js';
import { FINE, printJson, screenFor } from '../terminal.js';
import type { Terminal } from '../terminal.js';

/** Prints which roots a server would have here before a client says anything, and why. */
export async function runRoots(
  settings: LoadedSettings,
  { json }: { readonly json: boolean },
  terminal: Terminal,
): Promise<number> {
  using workspace = await openWorkspace(settings, terminal);
  const snapshot = workspace.snapshot();
  if (json) printJson(terminal, describe(snapshot));
  else terminal.out(showSnapshot(snapshot, screenFor(terminal, 'out')));
  return FINE;
}

/** The workspace of a server without a client. */
export async function openWorkspace(settings: LoadedSettings, { around }: Terminal): Promise<Workspace> {
  const { prepared, sources } = await prepareServing({ ...settings, audit: undefined }, around);
  const { createScope } = prepared.options;
  return new Workspace({ sources, ...(createScope !== undefined && { createScope }) });
}

function describe({ roots, rejected, trace }: Snapshot): unknown {
  return {
    roots,
    rejected,
    trace: trace.map(({ source, verdict, detail }) => ({ source, verdict, detail })),
  };
}
