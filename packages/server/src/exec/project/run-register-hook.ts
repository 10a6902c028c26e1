import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describeSkipped, searchProgram } from '@rootward/core/platform';
import { describeRoots, type InheritedVariables } from '../run/tool-environment.js';
import { sdkFolder } from '../run/sdk-folder.js';
import { REGISTER_HOOK, registrationsIn, type Registrations } from './registrations.js';

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 1024 * 1024;
const WRITABLE_BY_OTHERS = 0o022;

/**
 * Runs `server.d/register.sh`, which prints what it registers; undefined where there is none. It is code of the project
 * that runs when the server starts: call this only where the operator said so.
 */
export async function runRegisterHook(
  project: string,
  inherited: InheritedVariables,
): Promise<Registrations | undefined> {
  const file = join(project, REGISTER_HOOK);
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  const nothing = (message: string): Registrations => ({
    file,
    entries: {},
    problems: [{ file, field: undefined, message }],
  });
  if (!found.isFile()) return nothing('it is not a file');
  if (found.uid !== (process.getuid?.() ?? found.uid) || (found.mode & WRITABLE_BY_OTHERS) !== 0) {
    return nothing('it is not run: others own it or can change it (chmod go-w)');
  }
  const search = searchProgram('bash', { environment: { PATH: inherited.path }, roots: undefined });
  const bash = search.found?.canonical;
  if (bash === undefined)
    return nothing(`it is not run: bash is not installed${describeSkipped(search.skipped)}`);
  const sdk = sdkFolder();
  const { path } = describeRoots([], inherited);
  const env = {
    ...inherited.variables,
    ...(path !== undefined && { PATH: path }),
    MCPBASH_PROJECT_ROOT: project,
    MCP_SDK: sdk,
  };
  try {
    const { stdout } = await promisify(execFile)(bash, [join(sdk, 'register.sh'), file], {
      cwd: project,
      env,
      timeout: TIMEOUT_MS,
      maxBuffer: MAX_BYTES,
    });
    return collect(stdout, file);
  } catch (error) {
    const stderr = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
    return nothing(`it failed: ${stderr === '' ? String(error) : stderr}`);
  }
}

const MARK = '\u001E';
const LINE = /^(\w+) (.*)$/s;

/** Records the helpers print, one on each line; anything else is one JSON object of lists. */
function collect(stdout: string, file: string): Registrations {
  const lists = new Map<string, string[]>();
  const rest: string[] = [];
  for (const line of stdout.split('\n')) {
    const [, kind, json] = (line.startsWith(MARK) ? LINE.exec(line.slice(1)) : undefined) ?? [];
    if (kind === undefined || json === undefined) rest.push(line);
    else lists.set(kind, [...(lists.get(kind) ?? []), ...(json === '' ? [] : [json])]);
  }
  const bulk = rest.join('\n').trim();
  if (bulk !== '') return registrationsIn(bulk.replace(/^\{/, '{"version":1,'), file);
  const kinds = [...lists].map(([kind, items]) => `${JSON.stringify(kind)}:[${items.join(',')}]`);
  return registrationsIn(`{"version":1${kinds.map((kind) => `,${kind}`).join('')}}`, file);
}
