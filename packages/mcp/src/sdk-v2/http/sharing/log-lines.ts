import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/server';
import { isObject } from '@rootward/core/platform';
import type { LogLine, SessionStore } from '../../../store/session-store.js';
import { storedFields, storedText } from '../../../store/stored-value.js';

/** The stream that belongs to no request, as the SDK calls it. */
export const STANDALONE = '_GET_stream';
/** The place before the first line. */
export const START = '0';
/** How long an answer is kept for a client that may have missed it. */
export const ANSWERED_MS = 60_000;

/** What the log of a stream is called in the store. */
export function logKey(session: string, stream: string): string {
  return `events:${session}:${stream}`;
}

/** The id under which a client may ask for what follows. */
export function eventId(stream: string, place: string): string {
  return `${stream}/${place}`;
}

/** Whether an event is of the stream that belongs to no request. */
export function isStandalone(id: string): boolean {
  return id.startsWith(`${STANDALONE}/`);
}

/** What follows a place, piece by piece: a log may hold thousands of messages, and each of them may be large. */
export async function* linesAfter(store: SessionStore, key: string, from: string): AsyncGenerator<LogLine> {
  for (let place: string | undefined = from; place !== undefined;) {
    const lines: readonly LogLine[] = await store.lines(key, place);
    yield* lines;
    place = lines.at(-1)?.id;
  }
}

/** A line that holds a message. */
export function messageLine(message: JSONRPCMessage): string {
  return storedText({ message });
}

/** A line that says which process owes the answer to a request. */
export function ownerLine(owner: string, request: RequestId): string {
  return storedText({ owner, request });
}

/** Undefined for a line that holds no message. */
export function messageOf(text: string): JSONRPCMessage | undefined {
  const { message } = storedFields(text);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it was one when it was stored
  return isObject(message) ? (message as unknown as JSONRPCMessage) : undefined;
}

/** The request that a message answers. */
export function answeredBy(message: JSONRPCMessage): RequestId | undefined {
  return 'method' in message ? undefined : message.id;
}

/** The message of a line, if it holds one. `owners` are told who owes which answer. */
export function note(text: string, owners: Map<RequestId, string>): JSONRPCMessage | undefined {
  const message = messageOf(text);
  if (message === undefined) {
    const { owner, request } = storedFields(text);
    const isId = typeof request === 'string' || typeof request === 'number';
    if (typeof owner === 'string' && isId) owners.set(request, owner);
    return undefined;
  }
  const answered = answeredBy(message);
  if (answered !== undefined) owners.delete(answered);
  return message;
}
