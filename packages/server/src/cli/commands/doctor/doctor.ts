import { systemPlatform, type Operation, type Root } from '@rootward/core';
import { findAuditProblem } from '../../../audit/audit-trail.js';
import { unknownVariables, type Environment } from '../../../settings/from-environment.js';
import type { LoadedSettings } from '../../../settings/load-settings.js';
import { userDirectory } from '@rootward/core/platform';
import { findProjectProblems } from '../../../guidance/project-problems.js';
import { ProjectSettingsStore } from '../../../guidance/settings-store.js';
import { VERSION } from '../../../version.js';
import { KNOWN_CLIENTS } from '../../install/clients/known-clients.js';
import { showFindings, type Finding } from '../../output/show-findings.js';
import { FAILED, FINE, printJson, displayFor, type Status, type Terminal } from '../../output/terminal.js';
import { describePrograms } from './doctor-programs.js';
import { describeSandbox } from './doctor-sandbox.js';
import { describeSources } from './doctor-sources.js';
import { describeStore } from './doctor-store.js';
import { tryServers } from './try-servers.js';

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
/** Variables that identify hosts, the most reliable first. */
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

/** What was asked for. */
interface DoctorFlags {
  readonly json: boolean;
  /** Everything that was looked at, and what known clients give. */
  readonly verbose: boolean;
  /** Start language servers. */
  readonly deep: boolean;
}

/** Says what a server would find here, what is wrong, and how to fix it. */
export async function runDoctor(
  settings: LoadedSettings,
  { json, verbose, deep }: DoctorFlags,
  terminal: Terminal,
  status: Status,
): Promise<number> {
  const { environment } = terminal.start;
  const sources = await describeSources(settings, terminal);
  status.say('Looking for programs and language servers');
  const findings = [
    ...sources.findings,
    ...describeFiles(settings),
    ...describeVariables(environment),
    ...describeAudit(settings),
    ...describeProjectFiles(
      sources.roots,
      new ProjectSettingsStore(userDirectory({ environment, home: terminal.start.home })),
    ),
    describeHost(environment),
    ...describeMachine(),
    ...(await describePrograms(environment, sources.roots, settings)),
    ...(deep ? await tryServers(settings, terminal, status) : []),
    ...(await describeSandbox(environment, settings)),
    ...(await describeStore(settings)),
  ];
  const clients = KNOWN_CLIENTS.map(({ name, gives }) => ({ name, gives }));
  if (json) {
    printJson(terminal, {
      findings: findings.map(({ topic, state, detail, fix }) => ({ topic, state, detail, fix })),
      clients,
    });
  } else {
    const shown = verbose ? findings : findings.filter(({ detailed }) => detailed !== true);
    const frame = verbose ? { clients } : { more: deep ? MORE : `${MORE}; ${DEEPER}` };
    terminal.out(showFindings(shown, frame, displayFor(terminal, 'out')));
  }
  return findings.some(({ state }) => state === 'problem') ? FAILED : FINE;
}

const MORE = 'Add --verbose for every source and what known clients give';
const DEEPER = '--deep to start the language servers';

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
    ? { topic: 'host', state: 'note', detail: 'none recognised by the environment', detailed: true }
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
  return [
    { topic: 'configuration', state: 'note', detail: `no file (looked for ${looked})`, detailed: true },
  ];
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

function describeProjectFiles(roots: readonly Root[], store: ProjectSettingsStore): readonly Finding[] {
  return findProjectProblems(roots, store).map(({ file, problem }) => ({
    topic: 'workspace rules',
    state: 'problem',
    detail: `${file} has a problem: ${problem}`,
    fix: `Correct ${file}; only deny, readOnly and categories are allowed there`,
  }));
}
