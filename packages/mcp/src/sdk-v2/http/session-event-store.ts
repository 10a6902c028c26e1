import { randomUUID } from 'node:crypto';
import type { EventStore, JSONRPCMessage } from '@modelcontextprotocol/server';

type Send = (eventId: string, message: JSONRPCMessage) => Promise<void>;

/**
 * The part of an event store that belongs to one session. The SDK names the streams of all sessions alike, and asks no
 * event whose it is: with one store for all, a client that resumes a stream would get the events of others.
 */
export class SessionEventStore implements EventStore {
  readonly #store: EventStore;
  /** Ends with the only slash in it, as stream ids have none. */
  readonly #own = `${randomUUID()}/`;

  constructor(store: EventStore) {
    this.#store = store;
  }

  async storeEvent(streamId: string, message: JSONRPCMessage): Promise<string> {
    return this.#eventId(streamId, await this.#store.storeEvent(this.#own + streamId, message));
  }

  getStreamIdForEventId(eventId: string): Promise<string | undefined> {
    return Promise.resolve(this.#read(eventId)?.streamId);
  }

  async replayEventsAfter(lastEventId: string, { send }: { send: Send }): Promise<string> {
    const last = this.#read(lastEventId);
    // Not reached without a stream: the SDK asks for it first.
    if (last === undefined) return '';
    const { streamId, stored } = last;
    await this.#store.replayEventsAfter(stored, {
      send: (eventId, message) => send(this.#eventId(streamId, eventId), message),
    });
    return streamId;
  }

  #eventId(streamId: string, stored: string): string {
    return `${this.#own}${streamId}/${stored}`;
  }

  #read(eventId: string): { readonly streamId: string; readonly stored: string } | undefined {
    if (!eventId.startsWith(this.#own)) return undefined;
    const end = eventId.indexOf('/', this.#own.length);
    if (end === -1) return undefined;
    return { streamId: eventId.slice(this.#own.length, end), stored: eventId.slice(end + 1) };
  }
}
