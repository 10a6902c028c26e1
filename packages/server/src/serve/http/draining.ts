import type { IncomingMessage, ServerResponse } from 'node:http';
import { isObject } from '@rootward/core/platform';

/** A stream of a modern client that ends when the client or the server says so, and is not waited for. */
const LISTEN = 'subscriptions/listen';

/** Whether a request asks for a stream without an end of its own. */
export function isStream({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' || headers['mcp-method'] === LISTEN;
}

/** How a server stops: requests under way are answered, and clients go elsewhere with their next one. */
export class Draining {
  readonly #underWay = new Set<Promise<unknown>>();
  readonly #followed = new WeakSet<ServerResponse>();
  #isDraining = false;

  /** Why nothing should be sent here now, for balancers; undefined before `drain()`. */
  unready(): string | undefined {
    return this.#isDraining ? 'it is about to stop' : undefined;
  }

  /**
   * Every request that is served goes through here, before anything of its response is written. The second time changes
   * nothing: it may be under way before it is known whether it is served.
   */
  follow(request: IncomingMessage, response: ServerResponse): void {
    if (this.#followed.has(response)) return;
    this.#followed.add(response);
    this.#closeAfter(response);
    // Who may ask is looked up, and the client may have left by then.
    if (isStream(request) || response.destroyed) return;
    const over = new Promise((resolve) => {
      response.once('close', resolve);
    });
    this.#underWay.add(over);
    void over.then(() => this.#underWay.delete(over));
  }

  /** Tells balancers to go elsewhere, and waits for the requests that are under way. */
  async drain(): Promise<void> {
    this.#isDraining = true;
    // Some come while others are waited for.
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  /** Decided when the response begins: `drain()` may have been called since the request came. */
  #closeAfter(response: ServerResponse): void {
    const writeHead = response.writeHead.bind(response);
    response.writeHead = (...args: unknown[]): ServerResponse => {
      if (this.#isDraining && !response.headersSent) response.setHeader('Connection', 'close');
      return Reflect.apply(writeHead, response, args.map(withoutKeepAlive));
    };
  }
}

/**
 * What is written with the status wins over what was set before, and over what the client asked for. Event streams write
 * `keep-alive` there, which is said without them wherever it is true.
 */
function withoutKeepAlive(arg: unknown): unknown {
  if (!isObject(arg)) return arg;
  const kept = Object.entries(arg).filter(
    ([name, value]) => name.toLowerCase() !== 'connection' || value !== 'keep-alive',
  );
  return Object.fromEntries(kept);
}
