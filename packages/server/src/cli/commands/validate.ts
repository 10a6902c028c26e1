import { normalize } from 'node:path';
import { RootwardError, type Snapshot } from '@rootward/core';
import { silentLogger } from '@rootward/core/platform';
import { findAuditProblem } from '../../audit/audit-trail.js';
import type { LoadedSettings } from '../../settings/load-settings.js';
import { findBrokenRules } from '../../settings/workspace-rules.js';
import { RootwardServerError } from '../../error.js';
import { describeProblem } from '../../exec/catalogue/executable-tool.js';
import type { Discovery } from '../../exec/project/discover-project.js';
import { NO_CONTENT } from '../../exec/project/project-content.js';
import { findUnknownHelpers, findUnserved } from '../../exec/project/find-unserved.js';
import type { UnknownHelper, UnservedFile } from '../../exec/project/find-unserved.js';
import { openCatalogue } from '../../serve/programs/open-catalogue.js';
import { projectFolder, servedProject } from '../../serve/programs/project-folder.js';
import { countRoots } from '../../serve/readiness.js';
import { namedPath } from '../../settings/named-path.js';
import { alignRows, type Row } from '../output/align-rows.js';
import { harmless, painter } from '../output/paint.js';
import { shownPath } from '../output/shown-path.js';
import { FINE, printJson, displayFor, WRONG_USE, type Status, type Terminal } from '../output/terminal.js';
import { openWorkspace, warnOfVariables } from './roots.js';

/** What was found to be fine, and what not. The shape `--json` prints, without `valid`. */
interface Verdict {
  readonly files: readonly string[];
  /** How many there are; absent where they were not looked at. */
  readonly roots?: number;
  readonly tools: readonly {
    readonly name: string;
    readonly file: string;
    /** What runs it where it has no run bit. */
    readonly interpreter: string | undefined;
  }[];
  /** Files of the tools project that nothing is served from, and why. */
  readonly unserved?: readonly UnservedFile[];
  /** Words in scripts that look like helper functions but are not; a guess. */
  readonly unknownHelpers?: readonly UnknownHelper[];
  readonly problems: readonly string[];
}

interface Output {
  readonly json: boolean;
}

/** Checks one file by what its name says it is, and the roots it names. */
export async function validateFile(file: string, { json }: Output, terminal: Terminal): Promise<number> {
  const path = shownPath(namedPath(file, terminal.start));
  const { findFileProblems } = await import('./validate-file.js');
  const found: (readonly string[])[] = [];
  const problem = await problemOf(async () => void found.push(await findFileProblems(path, terminal.start)));
  const problems = problem === undefined ? found.flat() : [problem];
  const files = problems.length === 0 ? [normalize(file)] : [];
  return print({ files, tools: [], problems }, { json }, terminal);
}

/** Checks what a server here would use: its configuration files, the roots they name, and the rules in those roots. */
export async function validateHere(
  load: () => Promise<LoadedSettings>,
  { json }: Output,
  terminal: Terminal,
  status: Status,
): Promise<number> {
  const loaded: LoadedSettings[] = [];
  const problem = await problemOf(async () => void loaded.push(await load()));
  const [settings] = loaded;
  if (problem !== undefined || settings === undefined) {
    return print(
      { files: [], tools: [], problems: problem === undefined ? [] : [problem] },
      { json },
      terminal,
    );
  }
  status.say('Checking the roots');
  warnOfVariables(settings, terminal);
  const opened: Snapshot[] = [];
  const unusable = await problemOf(async () => {
    using workspace = await openWorkspace(settings, terminal);
    opened.push(workspace.snapshot());
  });
  const { roots, rejected } = opened[0] ?? { roots: [], rejected: [] };
  const audit = settings.audit === undefined ? undefined : findAuditProblem(settings.audit);
  status.say('Checking the tools');
  const discovery = await findTools(settings, terminal);
  const { tools, problems } = discovery;
  const project = projectFolder(settings.project, terminal.start.environment);
  const verdict: Verdict = {
    files: settings.files.map(({ file }) => file),
    roots: roots.length,
    tools: tools.map(({ metadata, file, interpreter }) => ({
      name: metadata.name,
      file,
      interpreter: interpreter?.join(' '),
    })),
    ...(project !== undefined && {
      unserved: findUnserved(project, discovery, settings.registerHook === true),
      unknownHelpers: findUnknownHelpers(project, discovery),
    }),
    problems: [
      ...[unusable, audit].filter((each) => each !== undefined),
      ...rejected.filter(({ source }) => source === 'config').map(({ message }) => message),
      ...findBrokenRules(roots).map((broken) => `Cannot use ${broken.file}: ${broken.problem}`),
      ...problems.map(describeProblem),
    ],
  };
  if (!json && verdict.files.length === 0) {
    const looked = settings.places.map(({ file }) => file).join(', ');
    terminal.out(`no configuration file (looked for ${looked})\n`);
  }
  if (!json) terminal.out(`${countRoots(roots)}\n`);
  return print(verdict, { json }, terminal);
}

/** This command reports files that cannot be used; anything else is an ordinary error. */
async function problemOf(check: () => Promise<void>): Promise<string | undefined> {
  try {
    await check();
    return undefined;
  } catch (error) {
    if (error instanceof RootwardServerError && error.code === 'configuration') return error.message;
    // A folder named as a root, ceiling or project.
    if (error instanceof RootwardError) return error.message;
    throw error;
  }
}

/** The executables of the tools project, and what is wrong with the others. */
async function findTools(settings: LoadedSettings, { start }: Terminal): Promise<Discovery> {
  const folder = servedProject(settings, start.environment);
  if (folder === undefined) return { ...NO_CONTENT, tools: [], iconFiles: [], problems: [] };
  using catalogue = await openCatalogue(folder, settings, start.environment, silentLogger);
  return catalogue.current();
}

function print(verdict: Verdict, { json }: Output, terminal: Terminal): number {
  const { files, tools, unserved = [], unknownHelpers = [], problems } = verdict;
  const code = problems.length === 0 ? FINE : WRONG_USE;
  if (json) {
    printJson(terminal, { valid: code === FINE, ...verdict });
    return code;
  }
  const display = displayFor(terminal, 'out');
  const fine = { text: 'fine', tone: 'good' } as const;
  const rows: readonly Row[] = [
    ...files.map((file) => [fine, file]),
    ...tools.map(({ name, file, interpreter }) => [
      fine,
      `${name} (${file}${interpreter === undefined ? '' : `, without the run bit: run by ${interpreter}`})`,
    ]),
    ...unserved.map(({ file, why }) => [{ text: 'not served', tone: 'quiet' } as const, `${file}: ${why}`]),
    ...unknownHelpers.map(({ file, helper }) => [
      { text: 'perhaps', tone: 'quiet' } as const,
      `${file}: ${helper} is no helper here (a guess from the words of the script)`,
    ]),
  ];
  terminal.out(alignRows(rows, { paint: painter(display), columns: display.columns }));
  const paint = painter(displayFor(terminal, 'err'));
  for (const problem of problems) terminal.err(`${paint('bad', 'rootward:')} ${harmless(problem)}\n`);
  return code;
}
