import { RootwardError, systemPlatform } from '@rootward/core';
import type { Operation, RejectionReason, Snapshot, Source } from '@rootward/core';
import { findAuditProblem } from '../../audit/audit-trail.js';
import { unknownVariables } from '../../configuration/from-environment.js';
import type { Environment } from '../../configuration/from-environment.js';
import type { LoadedSettings } from '../../configuration/load-settings.js';
import { userDirectory } from '../../configuration/find-configuration.js';
import { findProjectProblems } from '../../project/project-problems.js';
import { ProjectSettingsStore } from '../../project/settings-store.js';
import { findRipgrep } from '../../programs/find-ripgrep.js';
import { countRoots } from '../../serve/readiness.js';
import { VERSION } from '../../version.js';
import { KNOWN_CLIENTS } from '../client-configurations.js';
import { showFindings } from '../show-findings.js';
import type { Finding } from '../show-findings.js';
import type { Status } from '../status.js';
import { FAILED, FINE, printJson, screenFor } from '../terminal.js';
import type { Terminal } from '../terminal.js';
import { openWorkspace } from './roots.js';

const OPERATIONS: readonly Operation[] = [
  'open',
  'list',
  'stat',
  'write',
  'mkdir',
  'rename',
  'copy',
  'remove',
];
/** Variables by which hosts can be told, in the order of how much they say. */
const HOSTS: readonly (readonly [variable: string, host: string])[] = [
  ['CLAUDE_PROJECT_DIR', 'Claude Code'],
  ['CLAUDECODE', 'Claude Code'],
  ['WORKSPACE_FOLDER_PATHS', 'Cursor'],
  ['CURSOR_TRACE_ID', 'Cursor'],
  ['CODEX_SANDBOX', 'Codex'],
  ['GEMINI_CLI', 'Gemini CLI'],
  ['ZED_TERM', 'Zed'],
  ['VSCODE_PID', 'VS Code'],
  ['TERMINAL_EMULATOR', 'JetBrains'],
];

/** Says what a server would find here, what is wrong, and how to put it right. */
export async function runDoctor(
  settings: LoadedSettings,
  { json }: { readonly json: boolean },
  terminal: Terminal,
  status: Status,
): Promise<number> {
  const { environment } = terminal.around;
  const sources = await describeSources(settings, terminal);
  status.say('Looking for programs and language servers');
  const findings = [
    ...describeMachine(),
    describeHost(environment),
    ...describeFiles(settings),
    ...describeVariables(environment),
    ...describeAudit(settings),
    ...sources.findings,
    ...describeProjectFiles(
      sources.roots,
      new ProjectSettingsStore(userDirectory(environment, terminal.around.home)),
    ),
    ...(await describePrograms(environment, sources.roots, settings)),
  ];
  const clients = KNOWN_CLIENTS.map(({ name, gives }) => ({ name, gives }));
  if (json) printJson(terminal, { findings, clients });
  else terminal.out(showFindings(findings, clients, screenFor(terminal, 'out')));
  return findings.some(({ state }) => state === 'problem') ? FAILED : FINE;
}

function describeMachine(): readonly Finding[] {
  const platform = systemPlatform();
  const weaker = OPERATIONS.filter((operation) => platform.guarantee(operation) !== 'race-free');
  return [
    {
      topic: 'program',
      state: 'fine',
      detail: `rootward ${VERSION}, node ${process.version}, ${process.platform} ${process.arch}`,
    },
    weaker.length === 0
      ? { topic: 'file access', state: 'fine', detail: 'race-free for every operation' }
      : {
          topic: 'file access',
          state: 'note',
          detail: `best-effort for ${weaker.join(', ')}`,
          fix: 'A path swapped for a link at the right moment may lead out; use Linux with /proc where that matters',
        },
  ];
}

function describeHost(environment: Environment): Finding {
  const found = HOSTS.find(([variable]) => (environment[variable] ?? '') !== '');
  return found === undefined
    ? { topic: 'host', state: 'note', detail: 'none recognised by the environment' }
    : { topic: 'host', state: 'fine', detail: `${found[1]} (${found[0]} is set)` };
}

function describeFiles({ files, places }: LoadedSettings): readonly Finding[] {
  if (files.length > 0) {
    return files.map(({ file }) => ({
      topic: 'configuration',
      state: 'fine',
      detail: `${file} is in force`,
    }));
  }
  const looked = places.map(({ file }) => file).join(', ');
  return [{ topic: 'configuration', state: 'note', detail: `no file (looked for ${looked})` }];
}

function describeVariables(environment: Environment): readonly Finding[] {
  return unknownVariables(environment).map((detail) => ({
    topic: 'environment',
    state: 'problem',
    detail,
    fix: 'Rename or remove it',
  }));
}

function describeAudit({ audit }: LoadedSettings): readonly Finding[] {
  if (audit === undefined) return [];
  const problem = findAuditProblem(audit);
  return [
    problem === undefined
      ? { topic: 'audit', state: 'fine', detail: `decisions are appended to ${audit}` }
      : { topic: 'audit', state: 'problem', detail: problem, fix: 'Name a file in a folder that exists' },
  ];
}

/** The roots a server would have here, and how they came about. Where it would not start, the rest is still told. */
async function describeSources(
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
      source === 'pwd'
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

function describeProjectFiles(roots: Snapshot['roots'], store: ProjectSettingsStore): readonly Finding[] {
  return findProjectProblems(roots, store).map(({ file, problem }) => ({
    topic: 'workspace rules',
    state: 'problem',
    detail: `${file} changes nothing: ${problem}`,
    fix: 'Correct it; only deny, readOnly and categories are allowed there',
  }));
}

async function describePrograms(
  environment: Environment,
  roots: Snapshot['roots'],
  settings: LoadedSettings,
): Promise<readonly Finding[]> {
  const ripgrep = await findRipgrep(roots, environment);
  const servers = await describeServers(environment, roots, settings);
  return [
    ripgrep === undefined
      ? {
          topic: 'ripgrep',
          state: 'note',
          detail: 'none outside the roots; searching works without it, more slowly',
        }
      : { topic: 'ripgrep', state: 'fine', detail: ripgrep },
    ...servers,
  ];
}

async function describeServers(
  environment: Environment,
  roots: Snapshot['roots'],
  { languageServers, trustWorkspaceServers }: LoadedSettings,
): Promise<readonly Finding[]> {
  const { findServer, readServerSettings } = await import('@rootward/lsp');
  const topic = 'language servers';
  const found: string[] = [];
  const withheld: Finding[] = [];
  for (const definition of readServerSettings(languageServers)) {
    const { kind } = await findServer(definition, { environment, roots, trustWorkspaceServers });
    if (kind === 'found') found.push(`${definition.name} (${definition.language})`);
    if (kind === 'inside-root' || kind === 'runs-workspace-code') {
      const why =
        kind === 'inside-root' ? 'it lies inside a root' : (definition.runsWorkspaceCode ?? 'it runs code');
      const detail = `${definition.name} is installed and not used: ${why}`;
      withheld.push({
        topic,
        state: 'note',
        detail,
        fix: 'Set trustWorkspaceServers if you trust the workspace',
      });
    }
  }
  const detail = found.length === 0 ? 'none found on PATH' : found.join(', ');
  return [{ topic, state: found.length === 0 ? 'note' : 'fine', detail }, ...withheld];
}
