import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { FairShares } from './fair-shares.js';

/**
 * How many connections there may be on which nobody has shown a token yet. Who has one shows it with the first bytes,
 * so such a connection stays here for milliseconds; whoever sends half a request stays, and makes way for the next.
 */
const MAX_STRANGERS = 128;
/** When an instance dies, all of its clients come at once: as many as wait in the queue of the system are heard first. */
const MAX_NEW = 512;
/** How many may wait until their token is checked, with keys that have to be fetched first. */
const MAX_CHECKED = 512;
/** A token comes right after its connection. */
const HEARING_MS = 250;

interface GuardedPlaces {
  /** How many connections there may be. */
  readonly places: number;
  /** Called for each connection that has to go because all places are taken. */
  readonly onFull: () => void;
  /** Whether somebody waits for an answer on it. */
  readonly isBusy: (socket: Socket) => boolean;
}

/**
 * Shares the places for connections. Those of strangers have a share of their own, and the oldest of them is dropped for
 * the next: half a request costs its sender the connection, and nobody else theirs. Where those of principals are full,
 * whoever has most of them makes way for whoever has fewer, and an idle one for another of the same principal.
 */
export class ConnectionGuard {
  readonly #options: GuardedPlaces;
  /** For strangers alone. */
  readonly #reserved: number;
  /** In the order they came, with their numbers. */
  readonly #strangers = new Map<Socket, number>();
  /** Their token is being checked. */
  readonly #checked = new Set<Socket>();
  /** By principal. */
  readonly #known = new FairShares<Socket>();
  #count = 0;
  #isHearing = false;

  constructor(server: Server, options: GuardedPlaces) {
    const { places, onFull } = options;
    this.#options = options;
    this.#reserved = Math.min(MAX_STRANGERS, Math.floor(places / 2));
    server.maxConnections = places;
    server.on('drop', onFull);
    server.on('connection', (socket: Socket) => {
      this.#strangers.set(socket, (this.#count += 1));
      socket.once('close', () => this.#forget(socket));
      // One place stays free: Node closes a connection that finds none, and it may be one of a client.
      const free = Math.max(1, places - this.#held - 1);
      if (free < MAX_NEW && this.#strangers.size > free) onFull();
      this.#drop(Math.min(MAX_NEW, free), this.#count);
      this.#hear();
    });
  }

  /**
   * Whoever sent this request has shown a token: the connection counts as one of this principal from now on. False where
   * there is no place for it.
   */
  admit({ socket }: IncomingMessage, principal: string): boolean {
    const before = this.#known.ownerOf(socket);
    if (before === principal) return true;
    const wasChecked = this.#checked.delete(socket);
    if (before === undefined && !this.#makeRoom(principal)) {
      if (wasChecked) this.#strangers.set(socket, this.#count);
      return false;
    }
    this.#forget(socket);
    this.#known.add(principal, socket);
    return true;
  }

  /** Where no token is asked for, whoever sends whole requests is known. False where there is no place for it. */
  admitWhenComplete(request: IncomingMessage): boolean {
    const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers;
    // Nobody reads what is not there, and no end would come.
    if (length === '0' && encoding === undefined) return this.admit(request, '');
    if (this.#known.ownerOf(request.socket) === undefined && !this.#makeRoom('')) return false;
    request.once('end', () => {
      if (!request.socket.destroyed) this.admit(request, '');
    });
    return true;
  }

  /**
   * Its token is being checked, which may take longer than strangers are given: until `admit()` or `refuse()`. Where
   * places are short, it is among the strangers.
   */
  check({ socket }: IncomingMessage): void {
    const isRoom = this.#options.places - this.#held > this.#reserved;
    if (isRoom && this.#checked.size < MAX_CHECKED && this.#strangers.delete(socket))
      this.#checked.add(socket);
  }

  /** Its token is not one: it is that of a stranger again, and the newest of them. */
  refuse({ socket }: IncomingMessage): void {
    if (this.#checked.delete(socket)) this.#strangers.set(socket, this.#count);
  }

  /** Places for connections that have shown a token. */
  get placesForKnown(): number {
    return this.#options.places - this.#reserved;
  }

  /** Places that are not there for strangers now. */
  get #held(): number {
    return this.#known.size + this.#checked.size;
  }

  /** Whether there is a place for one more, which may have been that of another. */
  #makeRoom(principal: string): boolean {
    const { onFull, isBusy } = this.#options;
    if (this.#held < this.placesForKnown) return true;
    onFull();
    // Anyone can send a token that takes long to check.
    const [unknown] = this.#checked;
    if (unknown !== undefined) {
      this.#checked.delete(unknown);
      this.#strangers.set(unknown, this.#count);
      return true;
    }
    const leaving = this.#known.giveUp(principal, (socket) => !isBusy(socket));
    leaving?.destroy();
    return leaving !== undefined;
  }

  #forget(socket: Socket): void {
    this.#strangers.delete(socket);
    this.#checked.delete(socket);
    this.#known.delete(socket);
  }

  /**
   * Drops those that are too many after everyone had time, and what they sent was read: a process that is busy reads it
   * later, however much time has passed.
   */
  #hear(): void {
    if (this.#isHearing || this.#strangers.size <= MAX_STRANGERS) return;
    this.#isHearing = true;
    const newest = this.#count;
    setTimeout(() => {
      setImmediate(() => {
        this.#isHearing = false;
        this.#drop(MAX_STRANGERS, newest);
        this.#hear();
      });
    }, HEARING_MS).unref();
  }

  /** The oldest go first, up to the one with this number. */
  #drop(limit: number, newest: number): void {
    for (const [socket, number] of this.#strangers) {
      if (this.#strangers.size <= limit || number > newest) return;
      this.#strangers.delete(socket);
      socket.destroy();
    }
  }
}
