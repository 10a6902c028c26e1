import type { Root } from '@rootward/core';
import type { Keeper } from '../inner/keeper.js';
import type { CallRoots, RootsAnswer } from '../roots/call-roots.js';
import { INTRODUCTORY } from './introduction.js';
import { isSameRoots, type SideServers } from './side-servers.js';

const SUBSCRIBING: ReadonlySet<string> = new Set(['resources/subscribe', 'resources/unsubscribe']);

/** The server that a request goes to; undefined where there are no folders. */
export type Route = Keeper | undefined;

/** Which server a request goes to: that of the connection, or one for the folders that a call works in. */
export class CallRouter {
  readonly #opening: Promise<CallRoots>;
  readonly #main: Keeper;
  readonly #sides: SideServers;
  #connection: CallRoots | undefined;

  constructor(opening: Promise<CallRoots>, main: Keeper, sides: SideServers) {
    this.#opening = opening;
    this.#main = main;
    this.#sides = sides;
  }

  /** A promise only where something has to be waited for. */
  route(meta: unknown, method: string, answer: RootsAnswer | undefined): Route | Promise<Route> {
    if (INTRODUCTORY.has(method)) return this.#main;
    if (this.#connection !== undefined) return this.#routeIn(this.#connection, meta, method, answer);
    return this.#opening.then((connection) => {
      this.#connection = connection;
      return this.#routeIn(connection, meta, method, answer);
    });
  }

  #routeIn(
    connection: CallRoots,
    meta: unknown,
    method: string,
    answer: RootsAnswer | undefined,
  ): Route | Promise<Route> {
    // Such a client does not subscribe in a request of its own, and listens to the server in place.
    if (connection.asksInCalls === true && SUBSCRIBING.has(method)) return this.#main;
    const roots = connection.forCall(meta, answer);
    return roots instanceof Promise
      ? roots.then((later) => this.#keeperOf(later, connection))
      : this.#keeperOf(roots, connection);
  }

  #keeperOf(roots: readonly Root[], connection: CallRoots): Route {
    if (roots.length === 0) return undefined;
    if (!isSameRoots(roots, connection.current())) return this.#sides.for(roots);
    this.#main.settle(roots);
    return this.#main;
  }
}
