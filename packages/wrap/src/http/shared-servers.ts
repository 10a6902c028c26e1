import type { ClientInfo, OperatorLimits, Snapshot } from '@rootward/core';
import { RootwardWrapError } from '../error.js';
import type { SessionOptions } from '../session/session-options.js';
import { isLimited, keyOf, refuseLimited } from '../session/side-servers.js';
import { chooseToEnd, NO_ROOM, TAKEN_AWAY, type Held } from '../inner/make-room.js';
import { SharedServer } from './shared-server.js';

interface Entry extends Held {
  readonly key: string;
  readonly server: SharedServer;
  readonly roots: Snapshot['roots'];
  idle: NodeJS.Timeout | undefined;
}

/** The session that needs a server. */
export interface Sharer {
  readonly principal: string;
  readonly protocolVersion: string;
  readonly clientInfo: ClientInfo | undefined;
}

const IDLE_MS = 5 * 60_000;
/** Each is a process. A session may use several, one after the other and at the same time. */
const MAX_SERVERS = 100;
const TOO_MANY = 'too many servers are in use; try again later';

/** One server per principal, root set and revision, for as long as someone uses it. */
export class SharedServers {
  readonly #options: Omit<SessionOptions, 'roots'>;
  readonly #maxServers: number;
  readonly #entries = new Map<string, Entry>();
  #limits: OperatorLimits | undefined;

  constructor(options: Omit<SessionOptions, 'roots'>, maxServers: number = MAX_SERVERS) {
    this.#options = options;
    this.#maxServers = maxServers;
    void options.prepared.sources('http').then(
      ({ limits }) => this.#obey(limits),
      () => undefined,
    );
  }

  /** Throws `refused` where there is no room for another one, and where the operator has limited the roots. */
  for(snapshot: Snapshot, { principal, protocolVersion, clientInfo }: Sharer): SharedServer {
    const { roots } = snapshot;
    refuseLimited(roots, this.#limits);
    const key = JSON.stringify([principal, protocolVersion, keyOf(roots)]);
    const known = this.#entries.get(key);
    if (known !== undefined) {
      known.idle?.refresh();
      return known.server;
    }
    this.#makeRoom(principal);
    const server = new SharedServer({ ...this.#options, principal }, snapshot, protocolVersion, clientInfo);
    const entry: Entry = {
      key,
      server,
      principal,
      roots,
      idle: undefined,
      get usedAt() {
        return server.usedAt;
      },
      get isBusy() {
        return server.isUsed;
      },
    };
    this.#entries.set(key, entry);
    // One that does not start is tried anew by the next client.
    server.introduction.catch(() => this.#end(entry));
    entry.idle = setInterval(() => {
      if (!server.isUsed) void this.#end(entry);
    }, IDLE_MS);
    entry.idle.unref();
    return server;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#entries.values()].map((entry) => this.#end(entry)));
  }

  #makeRoom(principal: string): void {
    if (this.#entries.size < this.#maxServers) return;
    const entry = chooseToEnd(this.#entries.values(), principal);
    if (entry === undefined) throw new RootwardWrapError('refused', TOO_MANY);
    void this.#end(entry, NO_ROOM);
  }

  #obey(limits: OperatorLimits | undefined): void {
    this.#limits = limits;
    limits?.onDidChange(() => this.#endLimited(limits));
  }

  /** Servers of roots that the operator has limited since: their next request gets another. */
  #endLimited(limits: OperatorLimits): void {
    for (const entry of this.#entries.values())
      if (isLimited(entry.roots, limits)) void this.#end(entry, TAKEN_AWAY);
  }

  async #end(entry: Entry, reason = 'its server was ended'): Promise<void> {
    if (this.#entries.get(entry.key) === entry) this.#entries.delete(entry.key);
    clearInterval(entry.idle);
    await entry.server.end(reason);
  }
}
