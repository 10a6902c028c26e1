import { readFileSync } from 'node:fs';
import { errnoOf, isObject, type JsonObject } from '@rootward/core/platform';
import { describeJsonFault } from '../../../settings/parse-json.js';
import { RootwardServerError } from '../../../error.js';
import { namedPath } from '../../../settings/named-path.js';
import type { Terminal } from '../../output/terminal.js';

const STDIN = 0;
/** Enough to recognise what was typed. */
const MAX_QUOTED = 60;

/** Reads what `--args` says: JSON, `@FILE`, or `-` for stdin. */
export function readArguments(given: string | undefined, { interactive, err, start }: Terminal): JsonObject {
  if (given === undefined) return {};
  if (given === '-' && interactive) err('Type the arguments as JSON, then Ctrl+D\n');
  const { text, name } = readText(given, start);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw unusable(`Cannot use ${name} as --args: it is not JSON (${describeJsonFault(text, error)})`, error);
  }
  if (isObject(value)) return value;
  throw unusable(`Cannot use ${name} as --args: expected an object, such as {"name":"value"}`);
}

export function readTimeout(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const seconds = Number(text);
  if (Number.isFinite(seconds) && seconds > 0) return seconds * 1000;
  throw unusable(`Cannot use ${JSON.stringify(text)} as --timeout: expected seconds, such as 30 or 0.5`);
}

function readText(given: string, start: Terminal['start']): { readonly text: string; readonly name: string } {
  if (given === '-') return { text: readFileSync(STDIN, 'utf8'), name: 'stdin' };
  if (!given.startsWith('@')) {
    return { text: given, name: given.length > MAX_QUOTED ? `${given.slice(0, MAX_QUOTED)}…` : given };
  }
  const file = given.slice(1);
  try {
    return { text: readFileSync(namedPath(file, start), 'utf8'), name: file };
  } catch (error) {
    const missing = errnoOf(error) === 'ENOENT';
    const why = missing ? 'it does not exist' : String(error instanceof Error ? error.message : error);
    throw unusable(`Cannot read ${file}, given by --args: ${why}`, error);
  }
}

function unusable(message: string, cause?: unknown): RootwardServerError {
  return new RootwardServerError('usage', message, { cause });
}
