import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { isObject } from '@rootward/core/platform';

/**
 * Every server counts its questions from 0. Where several processes serve one client, its answers say by the id whose
 * question they belong to: ours go out as `INSTANCE.0` and come back as 0.
 */
export class SharedIds {
  readonly #prefix: string;

  constructor(instance: string) {
    this.#prefix = `${instance}.`;
  }

  /** A message of ours, as the client gets it. */
  sent(message: JSONRPCMessage): JSONRPCMessage {
    if (!('method' in message)) return message;
    const { method } = message;
    const params = isObject(message.params) ? this.#sentParams(method, message.params) : message.params;
    const { id } = 'id' in message ? message : { id: undefined };
    return {
      ...message,
      ...(id !== undefined && { id: this.#shared(id) }),
      ...(params !== undefined && { params }),
    };
  }

  /** A message of the client, as our server expects it. */
  received(message: JSONRPCMessage): JSONRPCMessage {
    if (!('method' in message)) {
      const { id } = message;
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same message under another id
      return { ...message, id: this.#own(id) } as JSONRPCMessage;
    }
    if (message.method !== 'notifications/progress' || !isObject(message.params)) return message;
    const token = message.params['progressToken'];
    return { ...message, params: { ...message.params, progressToken: this.#own(token) } };
  }

  /** The instance whose question a message of the client belongs to; undefined where it belongs to none. */
  static instanceOf(message: JSONRPCMessage): string | undefined {
    const id = 'method' in message ? message.params?.['progressToken'] : message.id;
    if ('method' in message && message.method !== 'notifications/progress') return undefined;
    const end = typeof id === 'string' ? id.lastIndexOf('.') : -1;
    return typeof id === 'string' && end > 0 ? id.slice(0, end) : undefined;
  }

  #sentParams(method: string, params: Readonly<Record<string, unknown>>): Record<string, unknown> {
    const { _meta: meta, requestId } = params;
    const cancelled = method === 'notifications/cancelled' && requestId !== undefined;
    const token = isObject(meta) ? meta['progressToken'] : undefined;
    return {
      ...params,
      ...(cancelled && { requestId: this.#shared(requestId) }),
      ...(isObject(meta) &&
        token !== undefined && { _meta: { ...meta, progressToken: this.#shared(token) } }),
    };
  }

  #shared(id: unknown): string {
    return this.#prefix + (typeof id === 'number' || typeof id === 'string' ? id : '');
  }

  #own(id: unknown): unknown {
    if (typeof id !== 'string' || !id.startsWith(this.#prefix)) return id;
    return Number(id.slice(this.#prefix.length));
  }
}
