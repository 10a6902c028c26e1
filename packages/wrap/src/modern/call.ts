import type { RawMessage } from '../wire/raw-message.js';

/** A request of the client, through all its rounds. */
export interface Call {
  /** Its id towards the session. */
  readonly inner: string;
  readonly method: string;
  /** As it goes to the session. */
  readonly request: RawMessage;
  /** Whether the client wants to hear what is logged meanwhile. */
  readonly isLogged: boolean;
  /** The id under which the client waits now; undefined while it has to come back first. */
  outerId: string | undefined;
  /** Under which progress is told in this round, as the client wrote it; undefined where it wants none. */
  token: string | undefined;
  /** The id of the round before, which a client may still take back. */
  lastId: string | undefined;
  /** Whether the session has it already. One that waits for the roots of its client is kept here until then. */
  isBegun: boolean;
  /** Questions that the client was asked in this round, by their key. */
  asked: ReadonlyMap<string, string>;
  /** Questions that came while the client was still busy with others. */
  readonly queue: RawMessage[];
  /** The answer, where it came before the client did. */
  answer: RawMessage | undefined;
  timer: NodeJS.Timeout | undefined;
}

/** A call in its first round. */
export function beginCall(
  given: Pick<Call, 'inner' | 'method' | 'request' | 'isLogged' | 'outerId' | 'token'>,
): Call {
  return {
    ...given,
    lastId: undefined,
    isBegun: false,
    asked: new Map(),
    queue: [],
    answer: undefined,
    timer: undefined,
  };
}

const TOKEN = ['params', '_meta', 'progressToken'] as const;

/** Where progress of a call is told, as written. */
export function tokenOf(request: RawMessage): string | undefined {
  return request.raw(...TOKEN);
}

/**
 * Progress as it is told to the client: a call keeps its token towards the server through all rounds, and the client may
 * have another one for each. Nothing where it has to come back first, or wants to hear none.
 */
export function progressFor(
  message: RawMessage,
  calls: Iterable<Call>,
): { readonly pieces: readonly Buffer[]; readonly id: string | undefined } | undefined {
  const given: unknown = message.value('params', 'progressToken');
  for (const { request, outerId: id, token } of calls) {
    if (tokenOf(request) === undefined || request.value(...TOKEN) !== given) continue;
    if (id === undefined || token === undefined) return undefined;
    return { pieces: message.edited(message.set(['params', 'progressToken'], token)), id };
  }
  return { pieces: [message.bytes], id: undefined };
}
