import { readFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { readSources, WORKSPACE_RULES_FILE, type ConfiguredRoots } from '@rootward/core';
import { errnoOf, isObject } from '@rootward/core/platform';
import { RootwardServerError } from '../../error.js';
import { readMetadata } from '../../exec/catalogue/tool-metadata.js';
import { readConfigurationFile } from '../../settings/configuration-file.js';
import { parseJsonFile } from '../../settings/parse-json.js';
import { findLooseEntries } from '../../settings/roots-file.js';
import { readRulesFile } from '../../settings/workspace-rules.js';
import type { Terminal } from '../output/terminal.js';

type Surroundings = Pick<Terminal['start'], 'home'>;
type Check = (path: string, start: Surroundings) => Promise<readonly string[]>;

/** By the name of the file; every other one is a configuration of the server. */
const CHECKS: Readonly<Record<string, Check>> = {
  [WORKSPACE_RULES_FILE]: checkRules,
  'roots.json': checkProjectRoots,
  'tool.meta.json': checkTool,
};

/** What is wrong with a file, and with the roots it names. Throws where it is not there, or cannot be used at all. */
export async function findFileProblems(path: string, start: Surroundings): Promise<readonly string[]> {
  const check = CHECKS[basename(path)] ?? checkConfigured;
  return (await check(path, start)).map((each) => `Cannot use ${path}: ${each}`);
}

async function checkConfigured(path: string, { home }: Surroundings): Promise<readonly string[]> {
  const found = await readConfigurationFile(path, home);
  if (found === undefined) throw missing(path);
  const { findRootProblems } = await import('../../settings/check-configuration.js');
  const malformed = findRootProblems(found.roots?.roots);
  if (malformed.length > 0 || found.roots === undefined) return malformed;
  return findUnusableRoots(found.roots, home);
}

/** The file of a workspace. */
function checkRules(path: string): Promise<readonly string[]> {
  const reading = readRulesFile(path);
  if (reading === undefined) throw missing(path);
  return Promise.resolve('problem' in reading ? [reading.problem] : []);
}

/** `config/roots.json` of a tools project, whose paths are relative to the project. */
async function checkProjectRoots(path: string, { home }: Surroundings): Promise<readonly string[]> {
  const value = await readJsonFile(path);
  if (!isObject(value) || !Array.isArray(value['roots'])) return ['expected an object with a list "roots"'];
  const loose = findLooseEntries(value['roots']);
  if (loose.length > 0) return loose;
  // Relative to the folder of what is named as the file, which is to be the project here.
  return findUnusableRoots({ file: dirname(path), roots: value['roots'] }, home);
}

async function checkTool(path: string): Promise<readonly string[]> {
  const reading = readMetadata(await readJsonFile(path), basename(dirname(path)));
  if (!('faults' in reading)) return [];
  return reading.faults.map(({ field, message }) => (field === '' ? message : `"${field}": ${message}`));
}

/** As a server would find them. Naming one twice is harmless. */
async function findUnusableRoots(config: ConfiguredRoots, home: string): Promise<readonly string[]> {
  const { operators } = await readSources({ config: [config], home, environment: {}, hints: false });
  return operators
    .flatMap(({ rejected }) => rejected)
    .filter(({ reason }) => reason !== 'duplicate')
    .map(({ message }) =>
      message.replace(/^Cannot use (?=")/, '').replace(' as a root: ', ' cannot be a root: '),
    );
}

async function readJsonFile(path: string): Promise<unknown> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') throw missing(path);
    throw new RootwardServerError('configuration', `Cannot use ${path}: ${String(error)}`, { cause: error });
  }
  const parsed = parseJsonFile(text);
  if ('problem' in parsed) {
    throw new RootwardServerError('configuration', `Cannot use ${path}: ${parsed.problem}`);
  }
  return parsed.value;
}

function missing(path: string): RootwardServerError {
  return new RootwardServerError('usage', `Cannot validate ${path}: it does not exist`);
}
