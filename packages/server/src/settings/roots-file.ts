import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf, isObject, suggest } from '@rootward/core/platform';
import { RootwardServerError } from '../error.js';
import { parseJsonFile } from './parse-json.js';

/**
 * Throws `configuration` where `config/roots.json` of a tools project is there and cannot be used: a server that went
 * on without it would serve other folders. Its roots are read by core.
 */
export async function checkRootsFile(project: string): Promise<void> {
  const file = join(project, 'config', 'roots.json');
  const problem = await findProblem(file);
  if (problem !== undefined) {
    throw new RootwardServerError('configuration', `Cannot use ${file}: ${problem}`);
  }
}

async function findProblem(file: string): Promise<string | undefined> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    const code = errnoOf(error);
    if (code !== 'ENOENT' && code !== 'ENOTDIR') return `the disk answered ${String(code ?? error)}`;
    const isLink = await lstat(file).then(
      () => true,
      () => false,
    );
    return isLink ? 'it is a link to something that does not exist' : undefined;
  }
  const parsed = parseJsonFile(text);
  if ('problem' in parsed) return parsed.problem;
  const { value } = parsed;
  if (!isObject(value) || !Array.isArray(value['roots'])) return 'expected an object with a list "roots"';
  const loose = findLooseEntries(value['roots']);
  return loose.length === 0 ? undefined : loose.join('; ');
}

const KEYS = ['path', 'name', 'access'];
const ACCESS = ['read-write', 'read-only'];

/**
 * Entries of `roots` that say something we do not understand: most likely they are meant to restrict, and taking them
 * without it would open what they were to close. An entry whose path cannot be used is another matter: it is skipped.
 */
export function findLooseEntries(roots: readonly unknown[]): readonly string[] {
  return roots.flatMap((entry, index) => {
    if (!isObject(entry)) return [];
    const unknown = Object.keys(entry)
      .filter((key) => !KEYS.includes(key))
      .map(
        (key) =>
          `"roots.${index}.${key}" is not known${suggest(key, KEYS) || `; known are ${KEYS.join(', ')}`}`,
      );
    const { access } = entry;
    if (access === undefined || ACCESS.some((each) => each === access)) return unknown;
    const received = JSON.stringify(access);
    return [
      ...unknown,
      `"roots.${index}.access" is ${received}, expected ${ACCESS.join(', ')}${suggest(received, ACCESS)}`,
    ];
  });
}
