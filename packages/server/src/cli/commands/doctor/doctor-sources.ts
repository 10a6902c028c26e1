import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { RootwardError, type RejectionReason, type Snapshot, type Source } from '@rootward/core';
import type { Environment } from '../../../settings/from-environment.js';
import type { LoadedSettings } from '../../../settings/load-settings.js';
import { projectFolder } from '../../../serve/programs/project-folder.js';
import { countRoots, originOf } from '../../../serve/readiness.js';
import type { Finding } from '../../output/show-findings.js';
import type { Terminal } from '../../output/terminal.js';
import { openWorkspace } from '../roots.js';

/** Where hosts say which folder is open. */
const HOST_VARIABLES = ['CLAUDE_PROJECT_DIR', 'WORKSPACE_FOLDER_PATHS'] as const;

/** The roots a server would have here, and where they come from. If it would not start, the rest is still reported. */
export async function describeSources(
  settings: LoadedSettings,
  terminal: Terminal,
): Promise<{ readonly roots: Snapshot['roots']; readonly findings: readonly Finding[] }> {
  try {
    using workspace = await openWorkspace(settings, terminal);
    const snapshot = workspace.snapshot();
    return {
      roots: snapshot.roots,
      findings: describeRoots(snapshot, { settings, environment: terminal.start.environment }),
    };
  } catch (error) {
    if (!(error instanceof RootwardError)) throw error;
    const fix = 'Correct or remove it; until then no server starts here';
    return { roots: [], findings: [{ topic: 'roots', state: 'problem', detail: error.message, fix }] };
  }
}

interface Given {
  readonly settings: LoadedSettings;
  readonly environment: Environment;
}

function describeRoots({ roots, rejected, trace }: Snapshot, given: Given): readonly Finding[] {
  // Nobody chose the directory of the shell, so there is nothing to fix.
  const faults = rejected.filter(({ source, reason }) => source !== 'cwd' && reason !== 'duplicate');
  return [
    ...describeCount(roots, faults.length > 0),
    ...faults.map(({ source, message, reason }): Finding => ({
      topic: `source ${source}`,
      state: 'problem',
      detail: message,
      fix: describeFix(source, reason, given),
    })),
    ...roots
      .filter((root) => root.broad)
      .map((root): Finding => ({
        topic: 'roots',
        state: 'note',
        detail: `${root.path} is a whole disk or home directory; common secrets in it are denied`,
        fix: 'Name the folders that are needed instead',
      })),
    ...trace.map(({ source, verdict, detail }): Finding => ({
      topic: `source ${source}`,
      state: verdict === 'used' ? 'fine' : 'note',
      detail: `${detail} (${verdict})`,
      detailed: true,
    })),
    ...rejected
      .filter((each) => !faults.includes(each))
      .map(({ source, message }): Finding => ({
        topic: `source ${source}`,
        state: 'note',
        detail: message,
        detailed: true,
      })),
  ];
}

/** Where a root that was named cannot be used, that is the cause, and has its own fix. */
function describeCount(roots: Snapshot['roots'], hasFaults: boolean): readonly Finding[] {
  const [first, ...others] = roots;
  if (first !== undefined) {
    const sources = [...new Set(roots.map(({ source }) => originOf(source)))].join(' and ');
    const detail = `${countRoots(roots)} from ${sources}${others.length === 0 ? `: ${first.path}` : ''}`;
    return [{ topic: 'roots', state: 'fine', detail }];
  }
  const detail = 'none without a client that gives some: every path is refused';
  if (hasFaults) return [{ topic: 'roots', state: 'note', detail }];
  const fix = 'Name a folder as the last argument in the configuration of the client, or set ROOTWARD_ROOTS';
  return [{ topic: 'roots', state: 'problem', detail, fix }];
}

/** With the file or the variable to edit. */
function describeFix(source: Source, reason: RejectionReason, { settings, environment }: Given): string {
  if (source === 'host') {
    const variables = HOST_VARIABLES.filter((name) => (environment[name] ?? '') !== '').join(' and ');
    return reason === 'unexpanded'
      ? `This host does not expand what stands in ${variables}; write the path itself`
      : `Correct ${variables}, or unset it`;
  }
  const project = projectFolder(settings.project, environment);
  const files = [
    ...settings.configuredRoots.map(({ file }) => file),
    ...(project === undefined ? [] : [join(project, 'config', 'roots.json')]),
  ].filter((file) => existsSync(file));
  const edit = `Correct "roots" in ${files.join(' or ')}`;
  return reason === 'unexpanded' ? `${edit}: nothing expands that variable, so write the path itself` : edit;
}
