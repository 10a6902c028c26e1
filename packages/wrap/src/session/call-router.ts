import type { Root } from '@rootward/core';
import type { Keeper } from '../inner/keeper.js';
import type { CallRoots } from '../roots/call-roots.js';
import { MAY_ASK_BACK } from '../roots/may-ask-back.js';
import { INTRODUCTORY } from './introduction.js';
import { isSameRoots, type SideServers } from './side-servers.js';

/** The server that a request goes to; undefined where there are no folders. */
export type Route = Keeper | undefined;

/** Which server a request goes to: that of the connection, or one for the folders that a call works in. */
export class CallRouter {
  readonly #opening: Promise<CallRoots>;
  readonly #main: Keeper;
  readonly #sides: SideServers;
  readonly #alwaysAsks: boolean;
  #connection: CallRoots | undefined;

  constructor(
    opening: Promise<CallRoots>,
    main: Keeper,
    sides: SideServers,
    { era }: { readonly era: 'legacy' | 'modern' },
  ) {
    this.#opening = opening;
    this.#main = main;
    this.#sides = sides;
    this.#alwaysAsks = era === 'legacy';
  }

  /** A promise only where something has to be waited for. */
  route(meta: unknown, method: string): Route | Promise<Route> {
    if (INTRODUCTORY.has(method)) return this.#main;
    if (this.#connection !== undefined) return this.#routeIn(this.#connection, meta, method);
    return this.#opening.then((connection) => {
      this.#connection = connection;
      return this.#routeIn(connection, meta, method);
    });
  }

  #routeIn(connection: CallRoots, meta: unknown, method: string): Route | Promise<Route> {
    const roots = connection.forCall(meta, this.#alwaysAsks || MAY_ASK_BACK.has(method));
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
