import { ProtocolError } from '@modelcontextprotocol/server';
import type { Server, ServerContext, StandardSchemaV1 } from '@modelcontextprotocol/server';
import type { PreparedWorkspace } from '../context/prepared-workspace.js';
import type { Call, SdkPort } from '../hooks/sdk-port.js';
import { carriesRoots } from '../modern/roots-answer.js';
import { clientNameOf, modernContext } from './modern-context.js';
import { askFirst, askForRootsToo, NeedsInput } from './needs-input.js';
import { principalOf } from './principal.js';

const FIRST_MODERN_REVISION = '2026-07-28';
const ROOTS_LIST = { method: 'roots/list' } as const;

/** Takes any result as it is: the SDK's own schema rejects a whole list for one root it does not like. */
const ANYTHING: StandardSchemaV1<unknown, unknown> = {
  '~standard': { version: 1, vendor: 'rootward', validate: (value) => ({ value }) },
};

/** SDK v2 speaks both eras, names methods by their names, and lets any call ask back. */
export function createSdkPort(server: Server, prepared: PreparedWorkspace): SdkPort<ServerContext> {
  return {
    methodOf: String,
    notificationKey: (method) => method,
    request: (ctx) => {
      const { _meta: meta, signal } = ctx.mcpReq;
      const client = isModern(server) ? clientNameOf(ctx) : undefined;
      return { meta, signal, client, principal: principalOf(ctx) };
    },
    origin: (ctx) => ({
      session: isModern(server) ? prepared.session : undefined,
      isHttp: ctx.http !== undefined,
    }),
    ask: (options) => server.request(ROOTS_LIST, ANYTHING, options),
    askWithin: ({ mcpReq }, options) => mcpReq.send(ROOTS_LIST, ANYTHING, options),
    call: (ctx, { args, mayAsk, legacy, callers }) => {
      if (!isModern(server)) return { workspace: legacy(), ...LEGACY_CALL };
      const modern = modernContext(prepared, callers, ctx, { args, mayAsk });
      const complete = carriesRoots(ctx.mcpReq.inputResponses) ? askForRootsToo : asItIs;
      const question = (error: unknown): unknown => {
        const needed = modern.needed ?? (error instanceof NeedsInput ? error : undefined);
        return needed === undefined ? undefined : complete(askFirst(needed));
      };
      return {
        workspace: modern.workspace,
        // Also where the handler caught what ended it.
        answer: (result) => question(undefined) ?? complete(result),
        question,
        dispose: () => modern.dispose(),
      };
    },
    protocolError: (code, message, data) => new ProtocolError(code, message, data),
  };
}

function asItIs(result: unknown): unknown {
  return result;
}

/** On a legacy connection roots are known, and the SDK asks for them once more if they are among the questions. */
const LEGACY_CALL: Omit<Call, 'workspace'> = {
  answer: asItIs,
  question: (error) => (error instanceof NeedsInput ? askFirst(error) : undefined),
  dispose: () => undefined,
};

function isModern(server: Server): boolean {
  const revision = server.getNegotiatedProtocolVersion();
  return revision !== undefined && revision >= FIRST_MODERN_REVISION;
}
