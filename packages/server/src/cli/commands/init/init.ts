import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errnoOf } from '@rootward/core/platform';
import { CONFIGURATION_FILE, configurationPlaces } from '../../../settings/find-configuration.js';
import { RootwardServerError } from '../../../error.js';
import { ownCommandHere } from '../../install/own-program.js';
import { namedPath } from '../../../settings/named-path.js';
import type { Terminal } from '../../output/terminal.js';
import { harmless } from '../../output/paint.js';
import { quoteForShell } from '../../output/quote-for-shell.js';
import { makeFolder, reportFiles } from './write-files.js';

/** Puts common secrets out of reach, and leaves everything else as it is without a file. */
const STARTER = {
  roots: [],
  clientRoots: 'replace',
  readOnly: false,
  deny: ['.env*', '*.pem'],
};

/** Writes a configuration file to start from: in the given folder, or where it is found without being named. */
export async function runInit(
  directory: string | undefined,
  { json }: { readonly json: boolean },
  terminal: Terminal,
): Promise<number> {
  const file = fileFor(directory, terminal.start);
  if (!json) terminal.out(`Writing ${harmless(file)}, unless it is there already\n`);
  await makeFolder(dirname(file));
  let handle;
  try {
    handle = await open(file, 'wx');
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
    return reportFiles({ written: [], kept: [file] }, { json }, terminal);
  }
  await handle.writeFile(`${JSON.stringify(STARTER, undefined, 2)}\n`);
  await handle.close();
  const code = reportFiles({ written: [file], kept: [] }, { json }, terminal);
  const use =
    directory === undefined
      ? 'It is used from now on.'
      : `Use it with: ${ownCommandHere(terminal.start)} --config ${quoteForShell(file)}`;
  if (!json) terminal.out(`${use}\n`);
  return code;
}

function fileFor(directory: string | undefined, start: Terminal['start']): string {
  if (directory !== undefined) return join(namedPath(directory, start), CONFIGURATION_FILE);
  const { environment, home } = start;
  const place = configurationPlaces({}, { ...environment, MCPBASH_PROJECT_ROOT: undefined }, home)[0];
  if (place === undefined) throw new RootwardServerError('usage', 'Cannot find the configuration directory');
  return place.file;
}
