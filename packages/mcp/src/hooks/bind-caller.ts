import { isObject } from '@rootward/core/platform';
import type { Handler } from './replace-method.js';
import type { ServerBinding } from './server-binding.js';

/** The tool through which a hook of the client says where the caller of a call works, before the call comes. */
const NAME = 'bind_caller';

/** Clients whose hooks call a tool of the server, which must be listed for that. */
export const BINDING_CLIENTS: ReadonlySet<string> = new Set(['claude-code']);

/** The tool as it is listed. */
export const BIND_CALLER: { readonly name: string; readonly [member: string]: unknown } = {
  name: NAME,
  title: 'Bind Caller',
  description: 'For hooks of the client: where the caller of the call with this id works. Not for models.',
  inputSchema: {
    type: 'object',
    properties: {
      cwd: { type: 'string' },
      id: { type: 'string' },
      agent: { type: 'string' },
    },
    required: ['cwd', 'id'],
  },
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
};

/** Plain text, not JSON: the client would read JSON as the decision of a hook. */
export const NOTED: { readonly content: readonly { readonly type: 'text'; readonly text: string }[] } = {
  content: [{ type: 'text', text: 'Noted' }],
};

/** Adds the tool to what a server lists, for clients that need it there. A tool of the author's with its name wins. */
export function listBindCaller<Context>(binding: ServerBinding<Context>, handler: Handler): Handler {
  return async (request, ctx) => {
    const result = await handler(request, ctx);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- both SDKs pass their context last
    const client = binding.clientOf(ctx as Context);
    const { keepsBindings } = binding.callers;
    if (!keepsBindings || client === undefined || !BINDING_CLIENTS.has(client)) return result;
    if (!isObject(result) || !Array.isArray(result['tools']) || binding.has(NAME)) return result;
    return result['nextCursor'] === undefined
      ? { ...result, tools: [...result['tools'], BIND_CALLER] }
      : result;
  };
}

/** Serves the tool, and forgets what it said about a call once that call has its final answer. */
export function serveBindCaller<Context>(binding: ServerBinding<Context>, handler: Handler): Handler {
  return async (request, ctx) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- both SDKs pass their context last
    const { meta } = binding.sdk.request(ctx as Context);
    const params = isObject(request) && isObject(request['params']) ? request['params'] : {};
    if (params['name'] === NAME && !binding.has(NAME)) {
      const { cwd, id, agent } = isObject(params['arguments']) ? params['arguments'] : {};
      binding.callers.bindings.bind(id, cwd, agent);
      return NOTED;
    }
    let isFinal = true;
    try {
      const result = await handler(request, ctx);
      // The call is repeated with the answer, and its caller is still the same.
      isFinal = !isObject(result) || result['resultType'] !== 'input_required';
      return result;
    } finally {
      if (isFinal) binding.callers.end(meta);
    }
  };
}
