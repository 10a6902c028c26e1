import { realpathSync } from 'node:fs';
import { suggest } from '@rootward/core/platform';
import { RootwardServerError } from '../../../error.js';
import { discoverProject } from '../../../exec/project/discover-project.js';
import { describeProblem, type ExecutableTool } from '../../../exec/catalogue/executable-tool.js';
import { namedPath } from '../../../settings/named-path.js';
import { ownCommandHere } from '../../install/own-program.js';
import { alignRows } from '../../output/align-rows.js';
import { harmless, painter } from '../../output/paint.js';
import { FINE, printJson, displayFor, type Terminal } from '../../output/terminal.js';

/** The canonical folder of the tools project: the named one, else the one of the environment, else the current directory. */
export function findProject(named: string | undefined, { start }: Terminal): string {
  const { environment, directory } = start;
  const project =
    named ?? (environment['ROOTWARD_PROJECT'] || environment['MCPBASH_PROJECT_ROOT'] || directory);
  try {
    return realpathSync(namedPath(project, start));
  } catch {
    throw new RootwardServerError('usage', `Cannot use ${project} as a tools project: it does not exist`);
  }
}

export async function findTool(
  name: string | undefined,
  project: string,
  { start }: Terminal,
): Promise<ExecutableTool> {
  const { tools, problems } = await discoverProject(project);
  const tool = tools.find(({ metadata }) => metadata.name === name);
  if (tool !== undefined) return tool;
  const known = tools.map(({ metadata }) => metadata.name);
  const broken = problems.map((problem) => `\n  ${describeProblem(problem)}`).join('');
  throw new RootwardServerError('usage', `${complaint(name, project, known, start)}${broken}`);
}

function complaint(
  name: string | undefined,
  project: string,
  known: readonly string[],
  start: Terminal['start'],
): string {
  const what = name === undefined ? 'Cannot run a tool' : `Cannot run ${JSON.stringify(name)}`;
  if (known.length === 0) {
    const make = `${ownCommandHere(start)} init --tools tools-project`;
    return `${what}: ${project} has no tools; name a tools project with --project, or make one: ${make}`;
  }
  if (name === undefined) return `${what}: name one of ${known.join(', ')}`;
  return `${what}: ${project} has no such tool${suggest(name, known) || `; it has ${known.join(', ')}`}`;
}

/** Lists the tools of a project. Reads their metadata, and runs nothing: completion asks for it in any folder. */
export async function listTools(
  project: string,
  { json }: { readonly json: boolean },
  terminal: Terminal,
): Promise<number> {
  const { tools, problems } = await discoverProject(project);
  const listed = tools.map(({ metadata: { name, title, description }, file }) => ({
    name,
    description: description ?? title ?? '',
    file,
  }));
  if (json) {
    printJson(terminal, { project, tools: listed, problems: problems.map(describeProblem) });
    return FINE;
  }
  const { columns, colors } = displayFor(terminal, 'out');
  const rows = listed.map(({ name, description }) => [{ text: name, tone: 'name' } as const, description]);
  terminal.out(alignRows(rows, { paint: painter({ colors }), columns }));
  const paint = painter(displayFor(terminal, 'err'));
  for (const problem of problems) {
    terminal.err(`${paint('bad', 'rootward:')} ${harmless(describeProblem(problem))}\n`);
  }
  if (listed.length === 0) terminal.err(`${paint('doubtful', `${project} has no tools`)}\n`);
  return FINE;
}
