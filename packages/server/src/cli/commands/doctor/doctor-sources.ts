import { RootwardError, type RejectionReason, type Snapshot, type Source } from '@rootward/core';
import type { LoadedSettings } from '../../../settings/load-settings.js';
import { countRoots } from '../../../serve/readiness.js';
import type { Finding } from '../../output/show-findings.js';
import type { Terminal } from '../../output/terminal.js';
import { openWorkspace } from '../roots.js';

/** The roots a server would have here, and how they came about. Where it would not start, the rest is still told. */
export async function describeSources(
  settings: LoadedSettings,
  terminal: Terminal,
): Promise<{ readonly roots: Snapshot['roots']; readonly findings: readonly Finding[] }> {
  try {
    using workspace = await openWorkspace(settings, terminal);
    const snapshot = workspace.snapshot();
    return { roots: snapshot.roots, findings: describeRoots(snapshot) };
  } catch (error) {
    if (!(error instanceof RootwardError)) throw error;
    const fix = 'Correct or remove it; until then no server starts here';
    return { roots: [], findings: [{ topic: 'roots', state: 'problem', detail: error.message, fix }] };
  }
}

function describeRoots(snapshot: Snapshot): readonly Finding[] {
  const { roots, rejected, trace } = snapshot;
  return [
    ...trace.map(({ source, verdict, detail }): Finding => ({
      topic: `source ${source}`,
      state: verdict === 'used' ? 'fine' : 'note',
      detail: `${detail} (${verdict})`,
    })),
    ...rejected.map(({ source, message, reason }): Finding =>
      // Nobody chose where the shell stands, so there is nothing to put right.
      source === 'cwd'
        ? { topic: `source ${source}`, state: 'note', detail: message }
        : { topic: `source ${source}`, state: 'problem', detail: message, fix: describeFix(source, reason) },
    ),
    roots.length === 0
      ? {
          topic: 'roots',
          state: 'problem',
          detail: 'none without a client that gives some: every path is refused',
          fix: 'Name a folder after "rootward" in the configuration of the client, or set ROOTWARD_ROOTS',
        }
      : { topic: 'roots', state: 'fine', detail: countRoots(roots) },
    ...roots
      .filter((root) => root.broad)
      .map((root): Finding => ({
        topic: 'roots',
        state: 'note',
        detail: `${root.path} is a whole disk or home directory; common secrets in it are denied`,
        fix: 'Name the folders that are needed instead',
      })),
  ];
}

function describeFix(source: Source, reason: RejectionReason): string {
  if (reason === 'unexpanded') return 'This host does not expand that variable; write the path itself';
  return source === 'host' ? 'Correct the variable, or unset it' : 'Correct the configuration file';
}
