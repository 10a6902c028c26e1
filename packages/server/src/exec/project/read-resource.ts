import { realpathSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { ProtocolError, ResourceNotFoundError, type ReadResourceResult } from '@modelcontextprotocol/server';
import type { Root, Scope } from '@rootward/core';
import { errnoOf, isObject } from '@rootward/core/platform';
import { lookup } from 'mrmime';
import { contentOf } from '../answer/embedded-resources.js';
import type { ExecutableTool } from '../catalogue/executable-tool.js';
import { findRunnable } from '../catalogue/runnable-file.js';
import { PROVIDERS_FOLDER, RESOURCES_FOLDER } from './discover-content.js';
import { scriptOf } from './project-content.js';
import type { ToolRunner } from '../run/tool-runner.js';
import { sdkFolder } from '../run/sdk-folder.js';

/** What a client asked for, and how the project says it is read. */
export interface WantedResource {
  readonly uri: string;
  readonly provider: string;
  readonly mimeType: string | undefined;
  /** A file of the project that the project itself names. */
  readonly file: string | undefined;
  /** A page made of a template. */
  readonly html?: string | undefined;
  /** What the client must know to show a page: its policy and its permissions. */
  readonly meta?: unknown;
}

/** The request it belongs to. */
export interface ResourceCall {
  readonly roots: () => Promise<readonly Root[]>;
  readonly scope: () => Promise<Scope>;
  readonly signal: AbortSignal;
}

const INVALID_PARAMS = -32_602;
const INTERNAL_ERROR = -32_603;
const ROOTS_SEPARATOR = ':';
const MAX_BYTES = 10 * 1024 * 1024;
/** What a provider says by its exit code. */
const REFUSALS: ReadonlyMap<number | null, readonly [code: number, message: string]> = new Map([
  [2, [INVALID_PARAMS, 'it is outside the roots']],
  [4, [INVALID_PARAMS, 'the provider cannot read such an address']],
  [5, [INTERNAL_ERROR, 'it could not be fetched']],
  [6, [INTERNAL_ERROR, 'it is too large']],
]);

/** Reads a resource of a tools project. A provider of the project wins over one of ours with the same name. */
export async function readProjectResource(
  wanted: WantedResource,
  call: ResourceCall,
  runner: ToolRunner,
): Promise<ReadResourceResult> {
  const { uri, provider, file, html, mimeType, meta } = wanted;
  const script = join(runner.project, PROVIDERS_FOLDER, `${provider}.sh`);
  const isScript = /^[\w.+-]+$/.test(provider) && (await stat(script).catch(() => undefined)) !== undefined;
  let bytes: Buffer;
  if (isScript) {
    const runnable = await findRunnable(script, runner.project);
    if ('problem' in runnable) throw refusal(uri, INTERNAL_ERROR, runnable.problem.message);
    bytes = await runProvider(scriptOf(provider, runnable), [uri], call, runner);
  } else if (html !== undefined) bytes = Buffer.from(html);
  else if (provider === 'echo') bytes = Buffer.from(decode(uri.slice('echo://'.length)));
  else if (provider === 'https' || provider === 'git') {
    const fetcher = { file: join(sdkFolder(), 'call-node-library.mjs'), interpreter: [process.execPath] };
    bytes = await runProvider(scriptOf(provider, fetcher), [`fetch-${provider}`, uri], call, runner);
  } else if (provider === 'file' || provider === 'page')
    bytes = await readFileOf(wanted, call, runner.project);
  else throw refusal(uri, INVALID_PARAMS, `no script ${PROVIDERS_FOLDER}/${provider}.sh reads it`);
  const type = mimeType ?? lookup(file ?? uri) ?? 'application/octet-stream';
  const content = { uri, mimeType: type, ...contentOf(bytes, type) };
  return { contents: [isObject(meta) ? { ...content, _meta: { ...meta } } : content] };
}

/** A file the project names may lie anywhere in it; others lie in `resources/`, or in the roots of the call. */
async function readFileOf(
  { uri, file }: WantedResource,
  { scope, signal }: ResourceCall,
  project: string,
): Promise<Buffer> {
  try {
    const path = file ?? decodeURIComponent(new URL(uri).pathname);
    const inside = file === undefined ? join(project, RESOURCES_FOLDER) : project;
    const canonical = realpathSync(path);
    if (canonical.startsWith(`${inside}${sep}`)) {
      const found = await stat(canonical);
      if (!found.isFile()) throw refusal(uri, INVALID_PARAMS, 'it is not a file');
      if (found.size > MAX_BYTES) throw refusal(uri, INTERNAL_ERROR, `it has more than ${MAX_BYTES} bytes`);
      return await readFile(canonical);
    }
    const { bytes } = await (await scope()).readBytes(path, { maxBytes: MAX_BYTES, signal });
    return Buffer.from(bytes);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') throw new ResourceNotFoundError(uri);
    throw error;
  }
}

async function runProvider(
  script: ExecutableTool,
  argv: readonly [...string[], uri: string],
  { roots, scope, signal }: ResourceCall,
  runner: ToolRunner,
): Promise<Buffer> {
  const uri = argv.at(-1) ?? '';
  const known = await roots();
  const split = known.find(({ path }) => path.includes(ROOTS_SEPARATOR));
  if (split !== undefined)
    throw refusal(
      uri,
      INVALID_PARAMS,
      `the root ${JSON.stringify(split.path)} has "${ROOTS_SEPARATOR}" in its path, which separates roots in MCP_RESOURCES_ROOTS; rename the folder`,
    );
  const { end, code, stdout, stderr } = await runner.output(script, {
    args: {},
    argv,
    variables: { MCP_RESOURCES_ROOTS: known.map(({ path }) => path).join(ROOTS_SEPARATOR) },
    roots: () => Promise.resolve(known),
    scope,
    signal,
  });
  if (end === 'exited' && code === 0) return stdout;
  if (code === 3) throw new ResourceNotFoundError(uri);
  const [kind, message] = REFUSALS.get(code) ?? [INTERNAL_ERROR, 'its provider failed'];
  throw refusal(uri, kind, stderr === '' ? message : stderr);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function refusal(uri: string, code: number, message: string): ProtocolError {
  return new ProtocolError(code, `Cannot read ${uri}: ${message}`);
}
