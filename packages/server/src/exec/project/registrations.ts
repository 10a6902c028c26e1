import { stat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf, isObject, type JsonObject } from '@rootward/core/platform';
import { parseJsonFile } from '../../settings/parse-json.js';
import type { ToolProblem } from '../catalogue/executable-tool.js';

export const SERVER_FOLDER = 'server.d';
const REGISTER_FILE = join(SERVER_FOLDER, 'register.json');
export const REGISTER_HOOK: string = join(SERVER_FOLDER, 'register.sh');
const KINDS = ['tools', 'resources', 'resourceTemplates', 'prompts', 'completions'] as const;
type Kind = (typeof KINDS)[number];
const MAX_BYTES = 1024 * 1024;

/** What a project registers by hand. A kind that is absent is looked for in its folder. */
export interface Registrations {
  /** Where it stands, for messages. */
  readonly file: string;
  readonly entries: Readonly<Partial<Record<Kind, readonly JsonObject[]>>>;
  readonly problems: readonly ToolProblem[];
}

/** Reads `server.d/register.json`; undefined where there is none. It is data: nothing runs. */
export async function readRegistrations(project: string): Promise<Registrations | undefined> {
  const file = join(project, REGISTER_FILE);
  try {
    const { size } = await stat(file);
    if (size > MAX_BYTES) return failed(file, `it has more than ${MAX_BYTES} bytes`);
    return registrationsIn(await readFile(file, 'utf8'), file);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return undefined;
    return failed(file, error instanceof Error ? error.message : String(error));
  }
}

/** What a text registers: the file, or what the hook printed. */
export function registrationsIn(text: string, file: string): Registrations {
  const parsed = parseJsonFile(text);
  if ('problem' in parsed) return failed(file, parsed.problem);
  const { value } = parsed;
  if (!isObject(value)) return failed(file, 'it must be an object');
  if (value['version'] !== 1) return failed(file, 'it must be 1', 'version');
  const problems: ToolProblem[] = [];
  const entries: Partial<Record<Kind, readonly JsonObject[]>> = {};
  for (const [key, held] of Object.entries(value)) {
    const kind = KINDS.find((each) => each === key);
    if (key === 'version' || key === '_meta' || (kind !== undefined && held === null)) continue;
    if (kind === undefined) problems.push({ file, field: key, message: 'it is not known' });
    else if (Array.isArray(held) && held.every(isObject)) entries[kind] = held;
    else problems.push({ file, field: key, message: 'it must be a list of objects' });
  }
  return { file, entries, problems };
}

/** Nothing of it counts, and nothing takes its place: what it meant to switch off stays off. */
function failed(file: string, message: string, field?: string): Registrations {
  const entries = Object.fromEntries(KINDS.map((kind) => [kind, []]));
  return { file, entries, problems: [{ file, field, message }] };
}
