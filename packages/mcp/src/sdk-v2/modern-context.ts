import { CLIENT_CAPABILITIES_META_KEY, CLIENT_INFO_META_KEY } from '@modelcontextprotocol/server';
import type { ServerContext } from '@modelcontextprotocol/server';
import type { ClientInfo, Workspace } from '@rootward/core';
import type { HandleRoot } from '../context/handle-codec.js';
import type { PreparedWorkspace } from '../context/prepared-workspace.js';
import { LazyWorkspaceContext } from '../context/workspace-context.js';
import type { WorkspaceContext } from '../context/workspace-context.js';
import { mustAsk, openForRequest, viewModernRequest } from '../modern/modern-request.js';
import type { ModernRequest } from '../modern/modern-request.js';
import { readRootsAnswer } from '../modern/roots-answer.js';
import { isObject } from '@rootward/core/platform';
import { needsRoots } from './needs-input.js';
import type { NeedsInput } from './needs-input.js';
import { principalOf } from './principal.js';

/** What a request of the modern era sees. */
interface ModernContext {
  readonly workspace: WorkspaceContext;
  /** The handler wanted something that only the client can give, in answer to a question of ours. */
  readonly needed: NeedsInput | undefined;
  dispose(): void;
}

/** `mayAsk` is false where the result of the request cannot ask back. */
export function modernContext(
  prepared: PreparedWorkspace,
  ctx: ServerContext,
  args: unknown,
  mayAsk: boolean,
): ModernContext {
  let needed: NeedsInput | undefined;
  let request: Promise<ModernRequest> | undefined;
  const opened: Workspace[] = [];
  const read = async (): Promise<ModernRequest> => {
    const found = await readModernRequest(prepared, ctx, args);
    if (found.declaresRoots) prepared.noteDeprecation();
    if (!mayAsk || !(await mustAsk(prepared, found))) return found;
    needed = needsRoots;
    throw needed;
  };
  const readOnce = (): Promise<ModernRequest> => (request ??= read());
  return {
    workspace: new LazyWorkspaceContext({
      view: async () => viewModernRequest(prepared, await readOnce()),
      live: async () => {
        const workspace = await openForRequest(prepared, await readOnce());
        opened.push(workspace);
        return workspace;
      },
      handle: (view, roots) =>
        roots === undefined
          ? prepared.handles.mintForClient(view.snapshot().roots, principalOf(ctx))
          : prepared.handles.mint(roots, principalOf(ctx)),
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

async function readModernRequest(
  prepared: PreparedWorkspace,
  ctx: ServerContext,
  args: unknown,
): Promise<ModernRequest> {
  const { envelope, inputResponses, droppedInputResponseKeys, _meta: meta, signal } = ctx.mcpReq;
  const sent: unknown = envelope;
  const capabilities = isObject(sent) ? sent[CLIENT_CAPABILITIES_META_KEY] : undefined;
  const transport = ctx.http === undefined ? 'local' : 'http';
  const { clientRoots } = await prepared.sources(transport);
  const declaresRoots = isObject(capabilities) && isObject(capabilities['roots']);
  return {
    transport,
    declaresRoots,
    clientInfo: readClientInfo(sent),
    answer: declaresRoots
      ? readRootsAnswer({ accepted: inputResponses, dropped: droppedInputResponseKeys ?? [] })
      : undefined,
    handle: clientRoots === 'ignore' ? undefined : readHandle(prepared, ctx, args),
    meta,
    signal,
  };
}

function readHandle(
  { handleArgument: name, handles }: PreparedWorkspace,
  ctx: ServerContext,
  args: unknown,
): readonly HandleRoot[] | undefined {
  if (name === false || !isObject(args) || args[name] === undefined) return undefined;
  return handles.verify(args[name], principalOf(ctx));
}

function readClientInfo(envelope: unknown): ClientInfo | undefined {
  const info = isObject(envelope) ? envelope[CLIENT_INFO_META_KEY] : undefined;
  if (!isObject(info) || typeof info['name'] !== 'string') return undefined;
  const { name, version } = info;
  return typeof version === 'string' ? { name, version } : { name };
}
