import { readPathRoots, readRoots, type ReadRootsOptions } from '../roots/read-roots.js';
import { isObject, type JsonObject } from '../platform/json.js';
import type { Rejection, RootList } from '../roots/root.js';
import { absent, describeNamed, type SourceReading } from './root-source.js';

const CODEX_SANDBOX = 'codex/sandbox-state-meta';
const AGENT_DIRECTORY = 'agent-working-dir';

/** What the metadata of a call says about a directory, before anything looked at the disk. */
export interface RequestHints {
  /** What Codex says about its sandbox. */
  readonly sandbox: SandboxHints | undefined;
  /** A plain path. */
  readonly agent: unknown;
}

/** What the sandbox of a call may touch. */
interface SandboxHints {
  /** A file URI. */
  readonly directory: unknown;
  /** Paths of further folders that may be written. */
  readonly folders: readonly string[];
  /** It may not write anywhere. */
  readonly readOnly: boolean;
}

/** The keys of `_meta` that name a directory, or undefined when there are none, which is the usual case. */
export function readRequestHints(meta: unknown): RequestHints | undefined {
  if (typeof meta !== 'object' || meta === null) return undefined;
  let sandbox: SandboxHints | undefined;
  let agent: unknown;
  for (const [key, value] of Object.entries(meta)) {
    if (key === CODEX_SANDBOX) sandbox = readSandbox(value);
    else if (key.length === AGENT_DIRECTORY.length && key.toLowerCase() === AGENT_DIRECTORY) agent ??= value;
  }
  return sandbox === undefined && agent === undefined ? undefined : { sandbox, agent };
}

/** Bad values are ignored and traced; the first key that names a valid root counts. */
export async function readRequest(
  hints: RequestHints | undefined,
  options: Omit<ReadRootsOptions, 'source'>,
): Promise<SourceReading> {
  if (hints === undefined) return noRequest;
  const reading: ReadRootsOptions = { ...options, source: 'request' };
  const rejected: Rejection[] = [];
  const details: string[] = [];
  for (const [name, read] of [
    [CODEX_SANDBOX, () => hints.sandbox && readSandboxRoots(hints.sandbox, reading)],
    [AGENT_DIRECTORY, () => readAgentRoot(hints.agent, reading)],
  ] as const) {
    const list = await read();
    if (list === undefined) continue;
    rejected.push(...list.rejected);
    details.push(`request metadata ${name} ${describeNamed(list)}`);
    if (list.roots.length > 0) {
      return { source: 'request', given: true, detail: details.join(', '), roots: list.roots, rejected };
    }
  }
  return { source: 'request', given: true, detail: details.join(', '), roots: [], rejected };
}

function readAgentRoot(value: unknown, reading: ReadRootsOptions): Promise<RootList> | undefined {
  if (value === undefined) return undefined;
  return typeof value === 'string'
    ? readPathRoots([{ path: value }], reading)
    : readRoots([{ uri: value }], reading);
}

/** Its directory comes first; without it, the other folders have no meaning. */
async function readSandboxRoots(
  { directory, folders, readOnly }: SandboxHints,
  reading: ReadRootsOptions,
): Promise<RootList> {
  const own = await readRoots([{ uri: directory }], reading);
  if (own.roots.length === 0) return own;
  const more = await readPathRoots(
    folders.map((path) => ({ path })),
    reading,
  );
  const known = new Set(own.roots.map(({ path }) => path));
  const roots = [...own.roots, ...more.roots.filter(({ path }) => !known.has(path))];
  return {
    roots: readOnly ? roots.map((root) => ({ ...root, access: 'read-only' as const })) : roots,
    rejected: [...own.rejected, ...more.rejected],
  };
}

export const noRequest: SourceReading = absent('request', 'no request metadata');

function readSandbox(value: unknown): SandboxHints | undefined {
  if (!isObject(value) || value['sandboxCwd'] === undefined) return undefined;
  const entries = entriesOf(value['permissionProfile']);
  return {
    directory: value['sandboxCwd'],
    folders: (entries ?? []).filter(isWritable).flatMap(pathOf),
    readOnly:
      (entries !== undefined && !entries.some(isWritable)) || hasReadOnlyPolicy(value['sandboxPolicy']),
  };
}

function entriesOf(profile: unknown): readonly JsonObject[] | undefined {
  const system = isObject(profile) ? (profile['file_system'] ?? profile['fileSystem']) : undefined;
  const entries = isObject(system) ? system['entries'] : undefined;
  return Array.isArray(entries) ? entries.filter(isObject) : undefined;
}

function isWritable({ access }: JsonObject): boolean {
  return access === 'write' || access === 'read-write';
}

/** Special entries, such as those for the disk and the temporary folder, name no folder of the user. */
function pathOf(entry: JsonObject): readonly string[] {
  const { type, path } = isObject(entry['path']) ? entry['path'] : entry;
  return type === 'path' && typeof path === 'string' ? [path] : [];
}

function hasReadOnlyPolicy(policy: unknown): boolean {
  return isObject(policy) && policy['type'] === 'read-only';
}
