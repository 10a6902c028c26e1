import type { Workspace } from '@rootward/core';
import type { PreparedWorkspace } from '../context/prepared-workspace.js';
import { resolveRequest, type StandaloneRequest } from '../context/request-view.js';

/** Whether the client must be asked before the request can be served. */
export async function mustAsk(prepared: PreparedWorkspace, request: StandaloneRequest): Promise<boolean> {
  if (request.handle !== undefined || request.answer !== undefined || !request.declaresRoots) return false;
  return (await prepared.sources(request.transport)).clientRoots !== 'ignore';
}

/** A workspace for one request, for what changes it. The caller disposes of it. */
export async function openForRequest(
  prepared: PreparedWorkspace,
  request: StandaloneRequest,
): Promise<Workspace> {
  return prepared.open(request.transport, { from: await resolveRequest(prepared, request) });
}
