import { resolveSnapshot, viewSnapshot } from '@rootward/core';
import type { RequestFacts, Snapshot, Workspace, WorkspaceView } from '@rootward/core';
import { isObject } from '@rootward/core/platform';
import type { PreparedWorkspace } from '../context/prepared-workspace.js';
import type { TransportKind } from '../context/transport-kind.js';

/** Everything a request of the modern era says about roots. */
export interface ModernRequest extends RequestFacts {
  readonly transport: TransportKind;
  readonly signal: AbortSignal;
}

/** Whether the client must be asked before the request can be served. */
export async function mustAsk(prepared: PreparedWorkspace, request: ModernRequest): Promise<boolean> {
  if (request.handle !== undefined || request.answer !== undefined || !request.declaresRoots) return false;
  return (await prepared.sources(request.transport)).clientRoots !== 'ignore';
}

/** What the handler of a request sees. */
export function viewModernRequest(
  prepared: PreparedWorkspace,
  request: ModernRequest,
): Promise<WorkspaceView> {
  const make = async (): Promise<WorkspaceView> =>
    viewSnapshot(await resolve(prepared, request), prepared.options.createScope);
  // Metadata may name a directory, and differs from call to call where calls are traced.
  if (isObject(request.meta) && Object.keys(request.meta).length > 0) return make();
  const { transport, declaresRoots, clientInfo, answer, handle } = request;
  const consents = prepared.consents.roots.map(({ path }) => path);
  return prepared.views.get([transport, declaresRoots, clientInfo, answer, handle, consents], make);
}

/** A workspace for one request, for what changes it. The caller disposes of it. */
export async function openForRequest(
  prepared: PreparedWorkspace,
  request: ModernRequest,
): Promise<Workspace> {
  return prepared.open(request.transport, { from: await resolve(prepared, request) });
}

async function resolve(prepared: PreparedWorkspace, request: ModernRequest): Promise<Snapshot> {
  const { signal, transport, answer } = request;
  const { consents, log } = prepared;
  const sources = await prepared.sources(transport);
  const now = prepared.clock.now();
  const read = (): Promise<Snapshot> => {
    const facts = { ...request, consents: transport === 'local' ? consents.roots : [] };
    return resolveSnapshot(sources, facts, { now, log, signal });
  };
  const snapshot = await read();
  const answered = answer !== undefined && 'result' in answer && transport === 'local';
  return answered && consents.note(snapshot) ? read() : snapshot;
}
