import type { Snapshot } from '@rootward/core';
import { isObject } from '@rootward/core/platform';
import type { ModernFront } from '../modern/front.js';
import { readEnvelope, type Envelope } from '../wire/envelope.js';
import type { RawMessage } from '../wire/raw-message.js';
import type { Exchange } from './exchange.js';
import type { Held } from '../inner/make-room.js';
import type { ParamHeaders } from './param-headers.js';

/** The client request that a server works on. */
interface Route {
  readonly exchange: Exchange;
  /** As the client wrote it. */
  readonly id: string;
  readonly method: string;
  /** Under which progress is told to the client, as it wrote it; undefined where it wants none. */
  readonly token: string | undefined;
  /** The same towards the server: tokens of different clients may be equal. It holds for all rounds of a call. */
  readonly innerToken: string;
}

/** A server that requests of the modern era share. */
export class ModernPlace implements Held {
  readonly number: string;
  readonly front: ModernFront;
  readonly principal: string;
  readonly roots: Snapshot['roots'];
  readonly capabilities: string;
  readonly exchanges: Map<string, Route> = new Map();
  /** Requests of ours. */
  readonly own: Map<string, (message: RawMessage) => void> = new Map();
  /** What is known of its tools; undefined until someone calls one, and when they have changed. */
  headers: Promise<ParamHeaders> | undefined;
  /** Whether we hear of changes of its tools. */
  isHeard = false;
  /** Until then a client may return with an answer. */
  awaitedUntil = 0;
  usedAt: number = Date.now();
  timer: NodeJS.Timeout | undefined;
  /** Why it was ended while somebody may have used it. */
  endReason: string | undefined;

  constructor(
    number: string,
    front: ModernFront,
    principal: string,
    roots: Snapshot['roots'],
    capabilities: string,
  ) {
    this.number = number;
    this.front = front;
    this.principal = principal;
    this.roots = roots;
    this.capabilities = capabilities;
  }

  get isBusy(): boolean {
    return this.exchanges.size > 0 || this.front.session.busy || this.awaitedUntil > Date.now();
  }
}

/**
 * What a server can ask for, and extensions, by which it may offer more. Whatever else clients say, such as what is
 * experimental, is not for a server that they share. The roots are settled before a server is chosen.
 */
const COMMON = ['elicitation', 'extensions', 'sampling'] as const;

/** What the server of a request is told that its clients can do: written the same way where it is the same. */
export function commonCapabilities(message: RawMessage): Envelope['capabilities'] {
  const given = readEnvelope(message)?.capabilities ?? {};
  return Object.fromEntries(
    COMMON.flatMap((name) => (isObject(given[name]) ? [[name, sorted(given[name])]] : [])),
  );
}

function sorted(value: unknown): unknown {
  if (!isObject(value)) return value;
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, sorted(member)]));
}
