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
  /** The id of the round before, which a client may still take back. */
  lastId: string | undefined;
  /** Whether it begins anew when the client comes back: the roots were asked for in another call. */
  isParked: boolean;
  /** Questions that the client was asked in this round, by their key. */
  asked: ReadonlyMap<string, string>;
  /** Questions that came while the client was still busy with others. */
  readonly queue: RawMessage[];
  /** The answer, where it came before the client did. */
  answer: RawMessage | undefined;
  /** Whether what goes to the client may be its answer. */
  isPassing: boolean;
  timer: NodeJS.Timeout | undefined;
}
