import { CLIENT_CAPABILITIES_META_KEY, CLIENT_INFO_META_KEY } from '@modelcontextprotocol/server';
import type { ServerContext } from '@modelcontextprotocol/server';
import type { ClientInfo, Workspace } from '@rootward/core';
import type { CallOrigin, Callers } from '../context/callers.js';
import type { HandleContent } from '../context/handle-codec.js';
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
  let request: Promise<Request> | undefined;
  const opened: Workspace[] = [];
  const read = async (): Promise<Request> => {
    const found = await readModernRequest(prepared, ctx, args);
    if (found.declaresRoots) prepared.noteDeprecation();
    if (!mayAsk || !(await mustAsk(prepared, found))) return found;
    needed = needsRoots;
    throw needed;
  };
  const readOnce = (): Promise<Request> => (request ??= read());
  const principal = principalOf(ctx);
  const came = callers.arrive();
  return {
    workspace: new LazyWorkspaceContext({
      view: async () => {
        const found = await readOnce();
        return callers.place(await viewRequest(prepared, found), originOf(found, came));
      },
      live: async () => {
        const workspace = await openForRequest(prepared, await readOnce());
        opened.push(workspace);
        return workspace;
      },
      handle: (view, roots) =>
        roots === undefined
          ? prepared.handles.mintForClient(view.snapshot().roots, principal)
          : prepared.handles.mint(roots, principal),
      treeHandle: (view, directory) => callers.mintForTree(view, directory, transportOf(ctx), principal),
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
  return { meta, client: clientInfo?.name, transport, tree, came };
}

function transportOf({ http }: ServerContext): TransportKind {
  return http === undefined ? 'local' : 'http';
}

async function readModernRequest(
  prepared: PreparedWorkspace,
  ctx: ServerContext,
  args: unknown,
): Promise<Request> {
  const { envelope, inputResponses, droppedInputResponseKeys, _meta: meta, signal } = ctx.mcpReq;
  const sent: unknown = envelope;
  const capabilities = isObject(sent) ? sent[CLIENT_CAPABILITIES_META_KEY] : undefined;
  const transport = transportOf(ctx);
  const { clientRoots } = await prepared.sources(transport);
  const declaresRoots = isObject(capabilities) && isObject(capabilities['roots']);
  const handle: HandleContent | undefined =
    clientRoots === 'ignore' ? undefined : prepared.readHandle(args, principalOf(ctx));
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
