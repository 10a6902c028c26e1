import { ProtocolError } from '@modelcontextprotocol/server';
import type { Server, ServerContext, StandardSchemaV1 } from '@modelcontextprotocol/server';
import type { PreparedWorkspace } from '../context/prepared-workspace.js';
import type { AskOptions, Call, CallFacts, HookedNotification, SdkPort } from '../hooks/sdk-port.js';
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

/**
 * SDK v2 speaks both eras, names methods by their names, and lets any call ask back. A class, since each server has one:
 * functions for each would take half a kilobyte.
 */
export class SdkV2Port implements SdkPort<ServerContext> {
  readonly #server: Server;
  readonly #prepared: PreparedWorkspace;

  constructor(server: Server, prepared: PreparedWorkspace) {
    this.#server = server;
    this.#prepared = prepared;
  }

  methodOf(key: unknown): string {
    return String(key);
  }

  notificationKey(method: HookedNotification): unknown {
    return method;
  }

  request(ctx: ServerContext): CallFacts {
    const { _meta: meta, signal } = ctx.mcpReq;
    const client = isModern(this.#server) ? clientNameOf(ctx) : undefined;
    return { meta, signal, client, principal: principalOf(ctx) };
  }

  origin(ctx: ServerContext): { readonly session: string | undefined; readonly isHttp: boolean } {
    const session = isModern(this.#server) ? this.#prepared.session : undefined;
    return { session, isHttp: ctx.http !== undefined };
  }

  ask(options: AskOptions): Promise<unknown> {
    return this.#server.request(ROOTS_LIST, ANYTHING, options);
  }

  askWithin({ mcpReq }: ServerContext, options: AskOptions): Promise<unknown> {
    return mcpReq.send(ROOTS_LIST, ANYTHING, options);
  }

  call(
    ctx: ServerContext,
    { args, mayAsk, legacy, callers }: Parameters<SdkPort<ServerContext>['call']>[1],
  ): Call {
    if (!isModern(this.#server)) return { workspace: legacy(), ...LEGACY_CALL };
    const modern = modernContext(this.#prepared, callers, ctx, { args, mayAsk });
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
  }

  protocolError(code: number, message: string, data: unknown): Error {
    return new ProtocolError(code, message, data);
  }
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
