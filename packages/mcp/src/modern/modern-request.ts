import type { Sources, Workspace } from '@rootward/core';
import type { PreparedWorkspace } from '../context/prepared-workspace.js';
import { resolveRequest, type StandaloneRequest } from '../context/request-view.js';

/** Whether the client must be asked before the request can be served. */
export function mustAsk(
  { handle, answer, declaresRoots }: StandaloneRequest,
  clientRoots: Sources['clientRoots'],
): boolean {
  return handle === undefined && answer === undefined && declaresRoots && clientRoots !== 'ignore';
}

/** A workspace for one request, for what changes it. The caller disposes of it. */
export async function openForRequest(
  prepared: PreparedWorkspace,
  request: StandaloneRequest,
): Promise<Workspace> {
  return prepared.open(request.transport, { from: await resolveRequest(prepared, request) });
}
