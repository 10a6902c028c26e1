import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { getMethodLiteral } from '@modelcontextprotocol/sdk/server/zod-json-schema-compat.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import {
  ErrorCode,
  InitializedNotificationSchema,
  McpError,
  ResultSchema,
  RootsListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { ServerNotification, ServerRequest } from '@modelcontextprotocol/sdk/types.js';
import { describePrincipal } from '../context/principal.js';
import type { SdkPort } from '../hooks/sdk-port.js';
import { isObject } from '@rootward/core/platform';

export type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

const ROOTS_LIST = { method: 'roots/list' } as const;

/** SDK v1 speaks the legacy era only, and names methods by their schemas. */
export function createSdkPort(server: Server): SdkPort<Extra> {
  return {
    // By method, as the SDK does: an author may bring a schema of their own, or of the other build of the SDK.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it throws for anything else, as the SDK would
    methodOf: (schema) => getMethodLiteral(schema as Parameters<typeof getMethodLiteral>[0]),
    notificationKey: (method) =>
      method === 'notifications/initialized'
        ? InitializedNotificationSchema
        : RootsListChangedNotificationSchema,
    request: ({ _meta: meta, signal, authInfo }) => ({
      meta,
      signal,
      principal: describePrincipal(authInfo),
      client: undefined,
    }),
    origin: ({ requestInfo }) => ({ session: undefined, isHttp: requestInfo !== undefined }),
    ask: (options) => unlessLost(() => server.request(ROOTS_LIST, ResultSchema, options)),
    askWithin: ({ sendRequest }, options) => unlessLost(() => sendRequest(ROOTS_LIST, ResultSchema, options)),
    call: (_extra, { legacy }) => ({
      workspace: legacy(),
      answer: (result) => result,
      question: () => undefined,
      dispose: () => undefined,
    }),
    protocolError: (code, message, data) => new McpError(code, message, data),
  };
}

/** SDK v1 reports a request that got no answer with a numeric code, as if the client had refused. */
async function unlessLost(ask: () => Promise<unknown>): Promise<unknown> {
  try {
    return await ask();
  } catch (cause) {
    if (isTimeout(cause)) throw new Error('no answer came', { cause });
    throw cause;
  }
}

/**
 * A client may use the same code, but only the SDK adds how long it waited. Checked by its members, not by its class:
 * the SDK comes in two builds, and an author who calls `require` has the classes of the other one.
 */
function isTimeout(error: unknown): boolean {
  if (!isObject(error)) return false;
  const { code, data } = error;
  return code === ErrorCode.RequestTimeout && isObject(data) && 'timeout' in data;
}
