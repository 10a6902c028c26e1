import { open, readdir } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { errnoOf, expandHome } from '@rootward/core/platform';
import { toolsTemplate } from './tools-template.js';
import { ownCommandHere, ownCommandLine } from '../../install/own-program.js';
import { namedPath } from '../../../settings/named-path.js';
import { alignRows } from '../../output/align-rows.js';
import { harmless, painter } from '../../output/paint.js';
import { quoteForShell } from '../../output/quote-for-shell.js';
import { shownPath } from '../../output/shown-path.js';
import { makeFolder, reportFiles } from './write-files.js';
import { confirm } from '../../output/confirm.js';
import { displayFor, FAILED, type Terminal } from '../../output/terminal.js';

const EXECUTABLE = 0o755;
const PLAIN = 0o644;

/** Writes a tools project to start from. What is there already stays as it is. */
export async function runInitTools(
  directory: string,
  { json, yes }: { readonly json: boolean; readonly yes: boolean },
  terminal: Terminal,
): Promise<number> {
  const folder = namedPath(directory, terminal.start);
  const shown = harmless(shownPath(folder));
  if (!yes && (await isFilled(folder)) && !(await confirm(`${shown} is not empty. Write there?`, terminal))) {
    return FAILED;
  }
  if (!json) terminal.out(`Writing a tools project to ${shown}; files that are there already stay\n`);
  const written: string[] = [];
  const kept: string[] = [];
  for (const { path, text, executable } of toolsTemplate(ownCommandLine(terminal.start))) {
    const file = join(folder, path);
    await makeFolder(dirname(file));
    const isNew = await writeNew(file, text, executable ? EXECUTABLE : PLAIN);
    (isNew ? written : kept).push(file);
  }
  const code = reportFiles({ written, kept }, { json }, terminal);
  if (!json) {
    // Quoted, a shell would leave the `~` of a script's path alone.
    const given = expandHome(directory, terminal.start.home);
    const named = quoteForShell(normalize(given));
    const own = ownCommandHere(terminal.start);
    const rows = [
      ['Try it:', `${own} run-tool hello-shell --project ${named} --args '{"name":"you"}'`],
      ['Test it:', quoteForShell(join(given, 'test', 'run.sh'))],
      ['Serve it:', `${own} --project ${named} --http`],
    ] as const;
    const paint = painter(displayFor(terminal, 'out'));
    terminal.out(
      alignRows(
        rows.map(([what, run]) => [what, { text: run, tone: 'name' }]),
        { paint },
      ),
    );
  }
  return code;
}

/** Whether something is in it already. What cannot be read is found out when it is written to. */
async function isFilled(folder: string): Promise<boolean> {
  return (await readdir(folder).catch(() => [])).length > 0;
}

async function writeNew(file: string, text: string, mode: number): Promise<boolean> {
  let handle;
  try {
    handle = await open(file, 'wx', mode);
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    throw error;
  }
  try {
    await handle.writeFile(text);
  } finally {
    await handle.close();
  }
  return true;
}
