import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RootwardServerError } from '../../error.js';
import { Narrator } from '../demo/narrator.js';
import { tour } from '../demo/tour.js';
import { painter } from '../output/paint.js';
import { displayFor, FAILED, FINE, type Terminal } from '../output/terminal.js';

/** Shows what the server does, with a real client, in a temporary folder that is gone afterwards. */
export async function runDemo(terminal: Terminal): Promise<number> {
  const { program, environment } = terminal.start;
  if (program === undefined) {
    throw new RootwardServerError('usage', 'Cannot show the tour: the program does not know where it is');
  }
  const base = await mkdtemp(join(await realpath(tmpdir()), 'rootward-demo-'));
  const narrator = new Narrator(terminal.out, painter(displayFor(terminal, 'out')), base);
  // Leaves out the settings and folders of the user; keeps what is needed to find programs.
  const { PATH, SystemRoot, ROOTWARD_PROGRAM_FOLDERS } = environment;
  const home = join(base, 'home');
  const own = { HOME: home, USERPROFILE: home, LOCALAPPDATA: home };
  try {
    await mkdir(home);
    await tour({
      base,
      narrator,
      program: [process.execPath, join(program, 'rootward.cjs')],
      environment: { PATH, SystemRoot, ROOTWARD_PROGRAM_FOLDERS, PWD: base, ...own },
    });
  } finally {
    await rm(base, { recursive: true, force: true });
  }
  narrator.end();
  return narrator.surprises === 0 ? FINE : FAILED;
}
