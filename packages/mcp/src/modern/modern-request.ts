import type { Answer, ClientInfo, Workspace, WorkspaceView } from '@rootward/core';
import type { HandleRoot } from '../context/handle-codec.js';
import { isObject } from '@rootward/core/platform';
import type { PreparedWorkspace } from '../context/prepared-workspace.js';
import type { TransportKind } from '../context/transport-kind.js';

/** Everything a request of the modern era says about roots. Nothing else is known, and nothing is kept. */
export interface ModernRequest {
  readonly transport: TransportKind;
  readonly declaresRoots: boolean;
  readonly clientInfo: ClientInfo | undefined;
  /** Undefined when the client has not been asked. */
  readonly answer: Answer | undefined;
  /** The roots of a verified handle. */
  readonly handle: readonly HandleRoot[] | undefined;
  readonly meta: unknown;
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
  const make = (): Promise<WorkspaceView> => makeView(prepared, request);
  // Metadata may name a directory, and differs from call to call where calls are traced.
  if (isObject(request.meta) && Object.keys(request.meta).length > 0) return make();
  const { transport, declaresRoots, clientInfo, answer, handle } = request;
  return prepared.views.get([transport, declaresRoots, clientInfo, answer, handle], make);
}

async function makeView(prepared: PreparedWorkspace, request: ModernRequest): Promise<WorkspaceView> {
  const workspace = await openForRequest(prepared, request);
  try {
    return await workspace.forRequest(request.meta, { signal: request.signal });
  } finally {
    // What it knows stays readable; only asking ends, and there is nobody to ask.
    workspace.dispose();
  }
}

/** A workspace for one request. The caller disposes of it. */
export async function openForRequest(
  prepared: PreparedWorkspace,
  { transport, declaresRoots, clientInfo, answer, handle, signal }: ModernRequest,
): Promise<Workspace> {
  const workspace = await prepared.open(transport, { emptyIsFinal: true });
  workspace.clientDeclared({ roots: declaresRoots, ...(clientInfo !== undefined && { clientInfo }) });
  try {
    if (answer !== undefined) await workspace.useAnswer(answer);
    if (handle !== undefined) await workspace.useHandle(handle, signal);
  } catch (error) {
    workspace.dispose();
    throw error;
  }
  return workspace;
}
