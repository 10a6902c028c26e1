import type { ClientInfo, Snapshot } from '@rootward/core';
import type { SessionOptions } from '../session/session-options.js';
import { keyOf } from '../session/side-servers.js';
import { SharedServer } from './shared-server.js';

interface Entry {
  readonly server: SharedServer;
  idle: NodeJS.Timeout | undefined;
}

/** The session that needs a server. */
export interface Sharer {
  readonly principal: string;
  readonly protocolVersion: string;
  readonly clientInfo: ClientInfo | undefined;
}

const IDLE_MS = 5 * 60_000;

/** One server per principal, root set and revision, for as long as someone uses it. */
export class SharedServers {
  readonly #options: Omit<SessionOptions, 'roots'>;
  readonly #entries = new Map<string, Entry>();

  constructor(options: Omit<SessionOptions, 'roots'>) {
    this.#options = options;
  }

  for(snapshot: Snapshot, { principal, protocolVersion, clientInfo }: Sharer): SharedServer {
    const key = JSON.stringify([principal, protocolVersion, keyOf(snapshot.roots)]);
    const known = this.#entries.get(key);
    if (known !== undefined) {
      known.idle?.refresh();
      return known.server;
    }
    const server = new SharedServer({ ...this.#options, principal }, snapshot, protocolVersion, clientInfo);
    const entry: Entry = { server, idle: undefined };
    this.#entries.set(key, entry);
    // One that does not start is tried anew by the next client.
    server.introduction.catch(() => this.#end(key, entry));
    entry.idle = setInterval(() => {
      if (!server.isUsed) void this.#end(key, entry);
    }, IDLE_MS);
    entry.idle.unref();
    return server;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#entries].map(([key, entry]) => this.#end(key, entry)));
  }

  async #end(key: string, { server, idle }: Entry): Promise<void> {
    if (this.#entries.get(key)?.server === server) this.#entries.delete(key);
    clearInterval(idle);
    await server.session.close();
  }
}
