import { CLIENT_CAPABILITIES_META_KEY, CLIENT_INFO_META_KEY } from '@modelcontextprotocol/server';
import type { ServerContext } from '@modelcontextprotocol/server';
import type { ClientInfo, Sources, Workspace } from '@rootward/core';
import type { CallOrigin, Callers } from '../context/callers.js';
import type { HandleContent } from '../context/handle-codec.js';
import type { PlacedView } from '../context/placed-view.js';
import type { PreparedWorkspace } from '../context/prepared-workspace.js';
import { LazyWorkspaceContext, type WorkspaceContext } from '../context/workspace-context.js';
import { viewRequest, type StandaloneRequest } from '../context/request-view.js';
import { mustAsk, openForRequest } from '../modern/modern-request.js';
import type { TransportKind } from '../context/transport-kind.js';
import { readRootsAnswer } from '../modern/roots-answer.js';
import { isObject } from '@rootward/core/platform';
import { needsRoots, type NeedsInput } from './needs-input.js';
import { principalOf } from './principal.js';

/** What a request of the modern era sees. */
interface ModernContext {
  readonly workspace: WorkspaceContext;
  /** The handler wanted something that only the client can give, in answer to a question of ours. */
  readonly needed: NeedsInput | undefined;
  dispose(): void;
}

/** A request, and the tree that its handle stands for. */
type Request = StandaloneRequest & { readonly tree: string | undefined };

/** `mayAsk` is false where the result of the request cannot ask back. */
export function modernContext(
  prepared: PreparedWorkspace,
  callers: Callers,
  ctx: ServerContext,
  { args, mayAsk }: { readonly args: unknown; readonly mayAsk: boolean },
): ModernContext {
  let needed: NeedsInput | undefined;
  let request: Request | Promise<Request> | undefined;
  const opened: Workspace[] = [];
  const principal = principalOf(ctx);
  const transport = transportOf(ctx);
  const readWith = ({ clientRoots }: Sources): Request => {
    const found = readModernRequest(prepared, ctx, { args, principal, clientRoots });
    if (found.declaresRoots) prepared.noteDeprecation();
    if (!mayAsk || !mustAsk(found, clientRoots)) return found;
    needed = needsRoots;
    throw needed;
  };
  const readOnce = (): Request | Promise<Request> => {
    if (request !== undefined) return request;
    const sources = prepared.sourcesNow(transport);
    return (request = sources instanceof Promise ? sources.then(readWith) : readWith(sources));
  };
  const came = callers.arrive();
  const view = (found: Request): PlacedView | Promise<PlacedView> => {
    const seen = viewRequest(prepared, found);
    const origin = originOf(found, came);
    return seen instanceof Promise
      ? seen.then((each) => callers.place(each, origin))
      : callers.place(seen, origin);
  };
  return {
    workspace: new LazyWorkspaceContext({
      view: () => {
        const found = readOnce();
        return found instanceof Promise ? found.then(view) : view(found);
      },
      live: async () => {
        const workspace = await openForRequest(prepared, await readOnce());
        opened.push(workspace);
        return workspace;
      },
      handle: (placed, roots) =>
        roots === undefined
          ? prepared.handles.mintForClient(placed.snapshot().roots, principal)
          : prepared.handles.mint(roots, principal),
      treeHandle: (placed, directory) => callers.mintForTree(placed, directory, transport, principal),
    }),
    get needed() {
      return needed;
    },
    dispose: () => {
      for (const workspace of opened) {
        if (ctx.http === undefined) prepared.consents.addFrom(workspace.snapshot());
        workspace.dispose();
      }
    },
  };
}

/** The name under which the client of a modern request introduces itself. */
export function clientNameOf(ctx: ServerContext): string | undefined {
  return readClientInfo(ctx.mcpReq.envelope)?.name;
}

function originOf({ meta, clientInfo, transport, tree }: Request, came: number): CallOrigin {
  return { meta, client: clientInfo?.name, transport, tree, came, relative: 'request' };
}

function transportOf({ http }: ServerContext): TransportKind {
  return http === undefined ? 'local' : 'http';
}

interface Reading {
  readonly args: unknown;
  readonly principal: string;
  readonly clientRoots: Sources['clientRoots'];
}

function readModernRequest(
  prepared: PreparedWorkspace,
  ctx: ServerContext,
  { args, principal, clientRoots }: Reading,
): Request {
  const { envelope, inputResponses, droppedInputResponseKeys, _meta: meta, signal } = ctx.mcpReq;
  const sent: unknown = envelope;
  const capabilities = isObject(sent) ? sent[CLIENT_CAPABILITIES_META_KEY] : undefined;
  const transport = transportOf(ctx);
  const declaresRoots = isObject(capabilities) && isObject(capabilities['roots']);
  const handle: HandleContent | undefined =
    clientRoots === 'ignore' ? undefined : prepared.readHandle(args, principal);
  return {
    transport,
    declaresRoots,
    clientInfo: readClientInfo(sent),
    answer: declaresRoots
      ? readRootsAnswer({ accepted: inputResponses, dropped: droppedInputResponseKeys ?? [] })
      : undefined,
    handle: handle?.roots,
    tree: handle?.tree,
    meta,
    signal,
  };
}

function readClientInfo(envelope: unknown): ClientInfo | undefined {
  const info = isObject(envelope) ? envelope[CLIENT_INFO_META_KEY] : undefined;
  if (!isObject(info) || typeof info['name'] !== 'string') return undefined;
  const { name, version } = info;
  return typeof version === 'string' ? { name, version } : { name };
}
