import { resolveSnapshot, viewSnapshot } from '@rootward/core';
import type { RequestFacts, Snapshot, WorkspaceView } from '@rootward/core';
import { isObject } from '@rootward/core/platform';
import type { PreparedWorkspace } from './prepared-workspace.js';
import type { TransportKind } from './transport-kind.js';

/** Everything that a standalone request says about roots: one of the modern era, or one with a handle. */
export interface StandaloneRequest extends RequestFacts {
  readonly transport: TransportKind;
  readonly signal: AbortSignal;
}

/** What the handler of a request sees. */
export function viewRequest(
  prepared: PreparedWorkspace,
  request: StandaloneRequest,
): WorkspaceView | Promise<WorkspaceView> {
  const make = async (): Promise<WorkspaceView> =>
    viewSnapshot(await resolveRequest(prepared, request), prepared.createScope);
  // Not cached with metadata: it may name a directory, and differs from call to call if calls are traced.
  if (isObject(request.meta) && Object.keys(request.meta).length > 0) return make();
  const { transport, declaresRoots, clientInfo, answer, handle } = request;
  const sources = prepared.sourcesNow(transport);
  if (sources instanceof Promise) return make();
  const consents = prepared.consents.roots.map(({ path }) => path);
  const limits = sources.limits?.list();
  return prepared.views.get([transport, declaresRoots, clientInfo, answer, handle, consents, limits], make);
}

export async function resolveRequest(
  prepared: PreparedWorkspace,
  request: StandaloneRequest,
): Promise<Snapshot> {
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
