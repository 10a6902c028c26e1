import type { ReadRootsOptions } from '../roots/read-roots.js';
import { readPathRoots, readRoots } from '../roots/read-roots.js';
import type { Rejection } from '../roots/root.js';
import type { SourceReading } from './root-source.js';
import { absent, describeNamed } from './root-source.js';

const CODEX_SANDBOX = 'codex/sandbox-state-meta';
const AGENT_DIRECTORY = 'agent-working-dir';

/** What the metadata of a call says about a directory, before anything looked at the disk. */
export interface RequestHints {
  /** A file URI. */
  readonly sandbox: unknown;
  /** A plain path. */
  readonly agent: unknown;
}

/** The keys of `_meta` that name a directory, or undefined when there are none, which is the usual case. */
export function readRequestHints(meta: unknown): RequestHints | undefined {
  if (typeof meta !== 'object' || meta === null) return undefined;
  let sandbox: unknown;
  let agent: unknown;
  for (const [key, value] of Object.entries(meta)) {
    if (key === CODEX_SANDBOX) sandbox = sandboxDirectory(value);
    else if (key.toLowerCase() === AGENT_DIRECTORY) agent ??= value;
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
  for (const [name, value] of [
    [CODEX_SANDBOX, hints.sandbox],
    [AGENT_DIRECTORY, hints.agent],
  ] as const) {
    if (value === undefined) continue;
    const list =
      name === AGENT_DIRECTORY && typeof value === 'string'
        ? await readPathRoots([{ path: value }], reading)
        : await readRoots([{ uri: value }], reading);
    rejected.push(...list.rejected);
    details.push(`request metadata ${name} ${describeNamed(list)}`);
    if (list.roots.length > 0) {
      return { source: 'request', given: true, detail: details.join(', '), roots: list.roots, rejected };
    }
  }
  return { source: 'request', given: true, detail: details.join(', '), roots: [], rejected };
}

export const noRequest: SourceReading = absent('request', 'no request metadata');

function sandboxDirectory(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'sandboxCwd' in value ? value.sandboxCwd : undefined;
}
