import { constants } from 'node:fs';
import type { Dirent } from 'node:fs';
import { access, open, readdir, readFile, stat } from 'node:fs/promises';
import { basename, join, parse } from 'node:path';
import { errnoOf } from '@rootward/core/platform';
import { describeJsonFault } from '../../settings/parse-json.js';
import type { ExecutableTool, ToolProblem } from './executable-tool.js';
import { readMetadata } from './tool-metadata.js';

export interface Discovery {
  /** By name. */
  readonly tools: readonly ExecutableTool[];
  readonly problems: readonly ToolProblem[];
}

export const TOOLS_FOLDER = 'tools';
const METADATA_FILE = 'tool.meta.json';
const USUAL_EXECUTABLE = 'tool.sh';
/** A header stands near the start; what is longer than this is no script. */
const HEADER_BYTES = 16 * 1024;

type Reading = { readonly tool: ExecutableTool } | { readonly problems: readonly ToolProblem[] };
type Found = Reading | undefined;

/** Looks through `tools/` of a project. What is wrong with one tool never hides another. */
export async function discoverTools(
  project: string,
  reservedNames: ReadonlySet<string> = new Set(),
): Promise<Discovery> {
  const folder = join(project, TOOLS_FOLDER);
  const entries = (await readEntries(folder)).filter(({ name }) => !name.startsWith('.'));
  const found = await Promise.all(entries.map((entry) => readEntry(join(folder, entry.name))));
  const tools = new Map<string, ExecutableTool>();
  const problems: ToolProblem[] = [];
  for (const each of found) {
    if (each === undefined) continue;
    if ('problems' in each) {
      problems.push(...each.problems);
      continue;
    }
    const { name } = each.tool.metadata;
    const taken =
      tools.get(name)?.metadataFile ?? (reservedNames.has(name) ? 'the server itself' : undefined);
    if (taken === undefined) tools.set(name, each.tool);
    else problems.push(problem(each.tool.metadataFile, 'name', `"${name}" is taken by ${taken}`));
  }
  return { tools: [...tools.values()], problems };
}

/** Sorted, so that of two tools with one name it is always the same that counts. */
async function readEntries(folder: string): Promise<readonly Dirent[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return [];
  }
}

async function readEntry(path: string): Promise<Found> {
  try {
    const stats = await stat(path);
    if (stats.isDirectory()) return await readFolder(path);
    return stats.isFile() ? await readSingleFile(path) : undefined;
  } catch (error) {
    return { problems: [problem(path, undefined, reasonOf(error))] };
  }
}

/** A folder without metadata is none of our business, such as one with a library. */
async function readFolder(folder: string): Promise<Found> {
  const file = join(folder, METADATA_FILE);
  const text = await readIfThere(file);
  if (text === undefined) return undefined;
  const executable = await findExecutable(folder);
  const found = readTool(text, file, 'file' in executable ? executable.file : '', basename(folder));
  if ('file' in executable) return found;
  return { problems: [...('problems' in found ? found.problems : []), executable.problem] };
}

async function findExecutable(
  folder: string,
): Promise<{ readonly file: string } | { readonly problem: ToolProblem }> {
  const names = (await readEntries(folder)).map(({ name }) => name).filter((name) => name !== METADATA_FILE);
  if (names.includes(USUAL_EXECUTABLE)) {
    const file = join(folder, USUAL_EXECUTABLE);
    return (await isExecutable(file)) ? { file } : { problem: noRunBit(file) };
  }
  const runnable: string[] = [];
  for (const name of names) if (await isExecutable(join(folder, name))) runnable.push(name);
  const [only, ...others] = runnable;
  if (only === undefined) {
    return { problem: problem(folder, undefined, 'it holds no file with the run bit (chmod +x)') };
  }
  if (others.length > 0) {
    const message = `it holds several executables (${runnable.join(', ')}): keep one, or name one ${USUAL_EXECUTABLE}`;
    return { problem: problem(folder, undefined, message) };
  }
  return { file: join(folder, only) };
}

/** A file without a header is none of our business. */
async function readSingleFile(file: string): Promise<Found> {
  const header = findHeader(await readStart(file));
  if (header === undefined) return undefined;
  if (!(await isExecutable(file))) return { problems: [noRunBit(file)] };
  return readTool(header, file, file, parse(file).name);
}

function readTool(json: string, metadataFile: string, file: string, fallbackName: string): Reading {
  let value: unknown;
  try {
    value = JSON.parse(json.replace(/^\uFEFF/, ''));
  } catch (error) {
    return {
      problems: [problem(metadataFile, undefined, `it is not JSON: ${describeJsonFault(json, error)}`)],
    };
  }
  const reading = readMetadata(value, fallbackName);
  if ('metadata' in reading) return { tool: { metadata: reading.metadata, file, metadataFile } };
  return { problems: reading.faults.map(({ field, message }) => problem(metadataFile, field, message)) };
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    // A link in a clone may lead to a device, whose reading never ends or takes what is typed.
    if (!(await stat(file)).isFile()) throw new Error(`${METADATA_FILE} is not a file`);
    return await readFile(file, 'utf8');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function readStart(file: string): Promise<string> {
  const handle = await open(file, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await handle.close();
  }
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    if (!(await stat(file)).isFile()) return false;
    await access(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function noRunBit(file: string): ToolProblem {
  return problem(file, undefined, 'it has no run bit (chmod +x)');
}

function problem(file: string, field: string | undefined, message: string): ToolProblem {
  return { file, field, message };
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** How far down a header may stand: below a shebang, a licence line and an editor's mark. */
const HEADER_LINES = 10;
const HEADER = /^\s*(?:#|\/\/)\s*mcp:\s*(\{.*\})\s*$/;

/** The JSON of a `# mcp: {…}` line (or `// mcp: {…}`) near the start of a script; undefined where there is none. */
export function findHeader(text: string): string | undefined {
  for (const line of text.split('\n', HEADER_LINES)) {
    const json = HEADER.exec(line)?.[1];
    if (json !== undefined) return json;
  }
  return undefined;
}
