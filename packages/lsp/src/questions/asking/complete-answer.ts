import type { CodeContext } from '../../pool/code-context.js';
import type { ServerInstance } from '../../pool/server-instance.js';

export interface Answer<Value> {
  readonly value: Value;
  /** The server had seen all its files when it answered. */
  readonly complete: boolean;
}

/** Attempts at two answers that agree, for a server that has only just become ready. */
const MAX_ROUNDS = 4;

/**
 * Asks once the server is ready, and while it is new until two answers in a row have the same size. What cannot be
 * shown to be complete in bounded time is said to be incomplete.
 */
export async function completeAnswer<Value extends { readonly length: number }>(
  { servers, signal, progress }: CodeContext,
  instance: ServerInstance,
  ask: () => Promise<Value>,
): Promise<Answer<Value>> {
  if (!instance.knowsFiles) return { value: await ask(), complete: true };
  const signals = instance.definition.ready !== undefined || instance.index !== undefined;
  const wasReady = instance.readiness.ready;
  if (instance.readiness.isLoading) progress?.(`${instance.definition.name} is reading its files`);
  const ready = await instance.readiness.wait(servers.limits.settleTimeout, signal);
  let value = await ask();
  // The sign of a server is worth more than two answers that agree.
  if (wasReady || (signals && ready))
    return { value, complete: instance.readiness.ready && !instance.readiness.hasFailed };
  for (let round = 1; round < MAX_ROUNDS; round += 1) {
    const again = await ask();
    const agrees = again.length === value.length;
    value = again;
    const isRead = instance.readiness.ready && !instance.readiness.hasFailed;
    if (agrees) return { value, complete: !signals && isRead };
  }
  return { value, complete: false };
}
