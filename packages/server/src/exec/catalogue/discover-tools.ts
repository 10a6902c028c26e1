import type { Dirent } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join, parse, resolve, sep } from 'node:path';
import { errnoOf, type JsonObject } from '@rootward/core/platform';
import { describeJsonFault } from '../../settings/parse-json.js';
import type { ExecutableTool, RunnableFile, ToolProblem } from './executable-tool.js';
import { findRunnable, hasRunBit, readStart } from './runnable-file.js';
import { findHeader } from './script-header.js';
import { readMetadata } from './tool-metadata.js';

export interface DiscoveredTools {
  /** By name. */
  readonly tools: readonly ExecutableTool[];
  readonly problems: readonly ToolProblem[];
}

export interface DiscoverToolsOptions {
  /** Names that the server itself uses. */
  readonly reservedNames?: ReadonlySet<string> | undefined;
  /** Metadata with a `path` in `tools/`, in the place of what lies there. */
  readonly registered?: readonly JsonObject[] | undefined;
  /** Where that is written. */
  readonly registeredIn?: string | undefined;
}

export const TOOLS_FOLDER = 'tools';
const METADATA_FILE = 'tool.meta.json';
const USUAL_EXECUTABLE = 'tool.sh';
const METADATA_ENDING = '.meta.json';

type Reading = { readonly tool: ExecutableTool } | { readonly problems: readonly ToolProblem[] };
type Found = Reading | undefined;

/** Looks through `tools/` of a project. What is wrong with one tool never hides another. */
export async function discoverTools(
  project: string,
  { reservedNames = new Set(), registered, registeredIn = '' }: DiscoverToolsOptions = {},
): Promise<DiscoveredTools> {
  const folder = join(project, TOOLS_FOLDER);
  const found =
    registered === undefined
      ? await readFolderEntries(folder, project)
      : await Promise.all(registered.map((entry) => readRegistered(entry, folder, project, registeredIn)));
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

async function readFolderEntries(folder: string, project: string): Promise<readonly Found[]> {
  const entries = (await readEntries(folder)).filter(({ name }) => !name.startsWith('.'));
  return Promise.all(entries.map((entry) => readEntry(join(folder, entry.name), project)));
}

async function readRegistered(
  { path, ...metadata }: JsonObject,
  folder: string,
  project: string,
  file: string,
): Promise<Found> {
  if (typeof path !== 'string') return { problems: [problem(file, 'tools', 'each needs a path')] };
  const script = resolve(folder, path);
  if (!script.startsWith(`${folder}${sep}`)) {
    return { problems: [problem(file, 'tools', `${path} leads outside ${TOOLS_FOLDER}/`)] };
  }
  const executable = await findRunnable(script, project);
  if ('problem' in executable) return { problems: [executable.problem] };
  return readTool(JSON.stringify(metadata), file, executable, parse(script).name);
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

async function readEntry(path: string, project: string): Promise<Found> {
  try {
    const stats = await stat(path);
    if (stats.isDirectory()) return await readFolder(path, project);
    return stats.isFile() ? await readSingleFile(path, project) : undefined;
  } catch (error) {
    return { problems: [problem(path, undefined, reasonOf(error))] };
  }
}

/** A folder without metadata and without a `tool.sh` is not a tool, for example one with a library. */
async function readFolder(folder: string, project: string): Promise<Found> {
  const file = join(folder, METADATA_FILE);
  const text = await readIfThere(file);
  if (text === undefined) return readFolderWithoutMetadata(folder, project);
  const executable = await findExecutable(folder, project);
  if ('problem' in executable) {
    const found = readTool(text, file, { file: '', interpreter: undefined }, basename(folder));
    return { problems: [...('problems' in found ? found.problems : []), executable.problem] };
  }
  return readTool(text, file, executable, basename(folder));
}

async function readFolderWithoutMetadata(folder: string, project: string): Promise<Found> {
  const file = join(folder, USUAL_EXECUTABLE);
  if (!(await isThere(file))) return undefined;
  const missing = `${METADATA_FILE} is missing, and ${USUAL_EXECUTABLE} has no header "# mcp: {…}"`;
  return (
    (await readSingleFile(file, project, basename(folder))) ?? {
      problems: [problem(folder, undefined, missing)],
    }
  );
}

async function findExecutable(
  folder: string,
  project: string,
): Promise<RunnableFile | { readonly problem: ToolProblem }> {
  const names = (await readEntries(folder)).map(({ name }) => name).filter((name) => name !== METADATA_FILE);
  if (names.includes(USUAL_EXECUTABLE)) return findRunnable(join(folder, USUAL_EXECUTABLE), project);
  const runnable: string[] = [];
  for (const name of names) if (await hasRunBit(join(folder, name))) runnable.push(name);
  const [only, ...others] = runnable;
  if (only === undefined) {
    const message = `it holds neither ${USUAL_EXECUTABLE} nor another file with the run bit (chmod +x)`;
    return { problem: problem(folder, undefined, message) };
  }
  if (others.length > 0) {
    const message = `it holds several executables (${runnable.join(', ')}): keep one, or name one ${USUAL_EXECUTABLE}`;
    return { problem: problem(folder, undefined, message) };
  }
  return findRunnable(join(folder, only), project);
}

/** A file without a header, and without metadata beside it, is not a tool. */
async function readSingleFile(
  file: string,
  project: string,
  fallbackName: string = parse(file).name,
): Promise<Found> {
  const beside = await readBeside(file);
  const header = beside === undefined ? findHeader(await readStart(file)) : { json: beside.text };
  if (header === undefined) return undefined;
  if ('fault' in header) return { problems: [problem(file, undefined, header.fault)] };
  const executable = await findRunnable(file, project);
  if ('problem' in executable) return { problems: [executable.problem] };
  return readTool(header.json, beside?.file ?? file, executable, fallbackName);
}

/** `read.meta.json` or `read.sh.meta.json` beside `read.sh`. */
async function readBeside(
  file: string,
): Promise<{ readonly file: string; readonly text: string } | undefined> {
  const { dir, name, base } = parse(file);
  if (base.endsWith(METADATA_ENDING)) return undefined;
  for (const stem of [base, name]) {
    const metadataFile = join(dir, `${stem}${METADATA_ENDING}`);
    const text = await readIfThere(metadataFile);
    if (text !== undefined) return { file: metadataFile, text };
  }
  return undefined;
}

function readTool(
  json: string,
  metadataFile: string,
  executable: RunnableFile,
  fallbackName: string,
): Reading {
  let value: unknown;
  try {
    value = JSON.parse(json.replace(/^\uFEFF/, ''));
  } catch (error) {
    return {
      problems: [problem(metadataFile, undefined, `it is not JSON: ${describeJsonFault(json, error)}`)],
    };
  }
  const reading = readMetadata(value, fallbackName);
  if ('metadata' in reading) return { tool: { metadata: reading.metadata, ...executable, metadataFile } };
  return { problems: reading.faults.map(({ field, message }) => problem(metadataFile, field, message)) };
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    // A link in a clone may lead to a device, whose reading never ends or takes what is typed.
    if (!(await stat(file)).isFile()) throw new Error(`${basename(file)} is not a file`);
    return await readFile(file, 'utf8');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function isThere(file: string): Promise<boolean> {
  try {
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}

function problem(file: string, field: string | undefined, message: string): ToolProblem {
  return { file, field, message };
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
