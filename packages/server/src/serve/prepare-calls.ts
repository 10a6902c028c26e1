import type { McpServer } from '@modelcontextprotocol/server';
import { isObject } from '@rootward/core/platform';

/**
 * Runs what the first call would have to do, in time that nobody waits for. Where that fails, the call does it again and
 * says why.
 */
export function beforehand(act: () => unknown): void {
  setImmediate(() => {
    try {
      act();
    } catch {
      // As said above.
    }
  });
}

/** Lets the SDK make the schemas of a call and of its result, which it does when they are first needed: a third of a first call. */
export function prepareCalls({ server }: McpServer): void {
  const codecOf: unknown = Reflect.get(server, '_negotiatedWireCodec');
  const codec: unknown = typeof codecOf === 'function' ? Reflect.apply(codecOf, server, []) : undefined;
  if (!isObject(codec)) return;
  const { validateRequest, validateResult } = codec;
  const method = 'tools/call';
  if (typeof validateRequest === 'function') validateRequest(method, { method, params: { name: '' } });
  if (typeof validateResult === 'function') validateResult(method, { content: [] });
}
