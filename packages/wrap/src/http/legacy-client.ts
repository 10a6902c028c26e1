import { randomUUID } from 'node:crypto';
import { fail } from '../session/answers.js';
import type { Outer } from '../session/outer.js';
import { Session } from '../session/session.js';
import type { SessionOptions } from '../session/session-options.js';
import { RawMessage } from '../wire/raw-message.js';
import type { Exchange } from './exchange.js';
import type { Held } from '../inner/make-room.js';
import type { SharedServers } from './shared-servers.js';
import { SharedSession } from './shared-session.js';

/** What nobody listens to is kept for a while; the oldest goes first. */
const MAX_KEPT = 100;
const MAX_KEPT_BYTES = 1024 * 1024;
const INTERNAL_ERROR = -32_603;
const INVALID_REQUEST = -32_600;
const ENDED = 'Cannot finish the request: the session has ended; initialize a new one';
const SAME_ID = 'Cannot serve the request: another one with the same id is under way in this session';

/** A client of the legacy era over HTTP: one session, and the streams it has open. */
export class LegacyClient implements Outer, Held {
  readonly id: string = randomUUID();
  readonly principal: string;
  readonly session: Pick<Session, 'receive' | 'close'>;
  usedAt: number = Date.now();
  readonly #exchanges = new Map<string, Exchange>();
  /** Requests without an answer, also those whose client does not wait for it any more. */
  readonly #open = new Set<string>();
  #listening: Exchange | undefined;
  #kept: RawMessage[] = [];

  constructor(principal: string, options: SessionOptions, shared: SharedServers | undefined) {
    this.principal = principal;
    this.session =
      shared === undefined
        ? new Session(this, { ...options, principal })
        : new SharedSession(this, principal, shared, options);
  }

  get isBusy(): boolean {
    return this.#exchanges.size > 0 || this.isListening;
  }

  get isListening(): boolean {
    return this.#listening?.isOpen === true;
  }

  /** Messages of one POST. */
  receive(messages: readonly RawMessage[], exchange: Exchange | undefined): void {
    this.usedAt = Date.now();
    const accepted = messages.filter((message) => this.#accepts(message));
    if (exchange !== undefined) {
      const ids = accepted.flatMap(({ kind, id }) => (kind === 'request' ? (id ?? []) : []));
      for (const id of ids) this.#exchanges.set(id, exchange);
      exchange.onClose(() => {
        this.usedAt = Date.now();
        for (const id of ids) if (this.#exchanges.get(id) === exchange) this.#exchanges.delete(id);
      });
    }
    for (const message of messages) {
      if (accepted.includes(message)) this.session.receive(message);
      else exchange?.answer(Buffer.concat([...fail(message.id ?? 'null', INVALID_REQUEST, SAME_ID)]));
    }
    // A question of ours can travel in any stream but that of the introduction, which the client has to finish first.
    if (exchange?.isOpen === true && !messages.some(({ method }) => method === 'initialize')) {
      this.#tell(exchange, ({ kind }) => kind === 'request');
    }
  }

  /** Opens the stream for what belongs to no request. */
  listen(exchange: Exchange): void {
    // What is kept would be lost with it.
    if (!exchange.isOpen) return;
    exchange.onClose(() => (this.usedAt = Date.now()));
    this.#listening = exchange;
    this.#tell(exchange, () => true);
  }

  send(pieces: readonly Buffer[], related?: string): void {
    const message = RawMessage.read(Buffer.concat([...pieces]));
    if (message === undefined) return;
    if (message.kind === 'answer') {
      const { id = '' } = message;
      this.#open.delete(id);
      this.#exchanges.get(id)?.answer(message.bytes);
      return;
    }
    const exchange = related === undefined ? undefined : this.#exchanges.get(related);
    const stream = exchange ?? (this.#listening?.isOpen === true ? this.#listening : undefined);
    if (stream !== undefined) stream.event(message.bytes);
    else this.#keep(message);
  }

  close(): void {
    void this.session.close();
    this.#listening?.end();
    for (const [id, exchange] of this.#exchanges) {
      exchange.answer(Buffer.concat([...fail(id, INTERNAL_ERROR, ENDED)]));
      exchange.end();
    }
  }

  /** Notes what will be answered. An answer could not be told from that to another request with the same id. */
  #accepts(message: RawMessage): boolean {
    const { kind, method, id = '' } = message;
    if (method === 'notifications/cancelled') this.#open.delete(message.raw('params', 'requestId') ?? '');
    if (kind !== 'request') return true;
    if (this.#open.has(id)) return false;
    this.#open.add(id);
    return true;
  }

  #keep(message: RawMessage): void {
    const open =
      message.kind === 'request' ? [...this.#exchanges.values()].find(({ isOpen }) => isOpen) : undefined;
    if (open !== undefined) open.event(message.bytes);
    else this.#kept = newest([...this.#kept, message]);
  }

  #tell(exchange: Exchange, isWanted: (message: RawMessage) => boolean): void {
    const told = this.#kept.filter(isWanted);
    this.#kept = this.#kept.filter((message) => !told.includes(message));
    for (const message of told) exchange.event(message.bytes);
  }
}

/** As many of the last messages as are kept. */
function newest(messages: readonly RawMessage[]): RawMessage[] {
  let bytes = 0;
  const dropped = messages.findLastIndex((message) => (bytes += message.bytes.length) > MAX_KEPT_BYTES);
  return messages.slice(Math.max(dropped + 1, messages.length - MAX_KEPT));
}
