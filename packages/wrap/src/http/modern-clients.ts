import type { IncomingHttpHeaders } from 'node:http';
import type { OperatorLimits, Snapshot } from '@rootward/core';
import { asComplete, asksBack, CAPABILITIES_KEY, SUBSCRIPTION_KEY } from '../wire/envelope.js';
import { InnerEra } from '../inner/era-bridge.js';
import { ModernFront } from '../modern/front.js';
import { StateSigner } from '../modern/state.js';
import { FixedRoots } from '../roots/fixed-roots.js';
import { fail, lostCall, NO_ROOTS, refusalOf, refuse } from '../session/answers.js';
import type { SessionOptions } from '../session/session-options.js';
import { isLimited, keyOf } from '../session/side-servers.js';
import type { Envelope } from '../wire/envelope.js';
import { RawMessage, type Edit } from '../wire/raw-message.js';
import type { Exchange } from './exchange.js';
import { chooseToEnd, NO_ROOM, TAKEN_AWAY } from '../inner/make-room.js';
import { commonCapabilities, ModernPlace } from './modern-place.js';
import { ParamHeaders } from './param-headers.js';
import { isAboutServer, RequestRoots } from './request-roots.js';

const IDLE_MS = 5 * 60_000;
const RETURN_MS = 10 * 60_000;
/** Each is a process. Sessions of legacy clients have a limit of their own. */
const MAX_SERVERS = 100;
const TOO_MANY = 'Cannot start a server for the request: too many are in use; try again later';
/** For who gets 503: soon somebody may be idle. */
export const RETRY: Readonly<Record<string, string>> = { 'Retry-After': '5' };
const UNAVAILABLE = -32_000;
const CLOSED = 'the endpoint is closed';
const MAX_PAGES = 50;
const INVALID_PARAMS = -32_602;
/** What a request of ours gets where the server was ended first. */
const GONE = RawMessage.from({ id: 0, error: { code: -32_603, message: 'the server was ended' } });
/** Errors that a client of this era also sees in the status. */
const STATUS: ReadonlyMap<unknown, number> = new Map([
  [-32_601, 404],
  [-32_021, 400],
]);

/**
 * Clients of the modern era over HTTP. Their requests stand alone: each says, or is asked, which roots it works in, and
 * gets the server that there is for these roots and its principal.
 */
export class ModernClients {
  readonly #options: Omit<SessionOptions, 'era' | 'roots'>;
  readonly #maxServers: number;
  readonly #signer = new StateSigner();
  readonly #places = new Set<ModernPlace>();
  readonly #innerEra = new InnerEra('modern');
  readonly #roots: RequestRoots;
  #nextId = 1;
  #nextPlace = 1;

  constructor(options: Omit<SessionOptions, 'era' | 'roots'>, maxServers: number = MAX_SERVERS) {
    this.#options = options;
    this.#maxServers = maxServers;
    this.#roots = new RequestRoots(options.prepared, this.#signer);
    void options.prepared.sources('http').then(
      ({ limits }) => limits?.onDidChange(() => this.#endLimited(limits)),
      () => undefined,
    );
  }

  async receive(
    message: RawMessage,
    exchange: Exchange,
    principal: string,
    headers: IncomingHttpHeaders,
  ): Promise<void> {
    const id = message.id ?? 'null';
    const state: unknown = message.value('params', 'requestState');
    const resumed = typeof state === 'string' ? this.#resume(state, principal) : undefined;
    if (resumed !== undefined) {
      const edits =
        resumed.state === undefined
          ? message.remove(['params'], ['requestState'])
          : message.set(['params', 'requestState'], JSON.stringify(resumed.state));
      await this.#pass(message, exchange, resumed.place, edits, headers, resumed.innerToken);
      return;
    }
    if (state !== undefined && !this.#roots.isAnswer(state)) {
      const reason =
        'Cannot go on with this call: its state is not known here any more; call again without it';
      exchange.answer(Buffer.concat([...fail(id, INVALID_PARAMS, reason)]));
      return;
    }
    const { method = '' } = message;
    const snapshot = await this.#roots.of(message).catch((error: unknown) => {
      exchange.answer(Buffer.concat([...completed(refuse(id, method, refusalOf(error)), method)]));
    });
    if (snapshot === undefined) return;
    if ('question' in snapshot) {
      exchange.answer(Buffer.concat([...snapshot.question.withId(id)]));
      return;
    }
    if (snapshot.roots.length === 0 && !isAboutServer(method)) {
      exchange.answer(Buffer.concat([...completed(refuse(id, method, NO_ROOTS), method)]));
      return;
    }
    // The round that brought the roots is over; for the server this is the first one.
    const round = state === undefined ? [] : message.remove(['params'], ['requestState', 'inputResponses']);
    const place = this.#placeFor(snapshot, principal, commonCapabilities(message));
    if (place === undefined) {
      exchange.answer(Buffer.concat([...fail(id, UNAVAILABLE, TOO_MANY)]), 503, RETRY);
      return;
    }
    await this.#pass(message, exchange, place, round, headers);
  }

  close(): void {
    for (const place of this.#places) this.#end(place, CLOSED);
  }

  /** Servers of roots that the operator has limited since: their next request gets another. */
  #endLimited(limits: OperatorLimits): void {
    for (const place of this.#places) if (isLimited(place.roots, limits)) this.#end(place, TAKEN_AWAY);
  }

  #end(place: ModernPlace, reason?: string): void {
    clearTimeout(place.timer);
    this.#places.delete(place);
    place.endReason = reason;
    const routes = [...place.exchanges.values()];
    place.exchanges.clear();
    for (const { exchange, id, method } of routes) {
      if (method === 'subscriptions/listen') exchange.end();
      else this.#answerLost(place, exchange, id, method);
    }
    void place.front.session.close();
    for (const told of place.own.values()) told(GONE);
    place.own.clear();
  }

  #answerLost({ endReason }: ModernPlace, exchange: Exchange, id: string, method: string): void {
    const lost = lostCall(endReason ?? 'its server was ended');
    exchange.answer(Buffer.concat([...completed(refuse(id, method, lost), method)]));
  }

  /**
   * A legacy server learns once what its clients can be asked, so clients with other capabilities get another one.
   * Undefined where there is no room for it.
   */
  #placeFor(
    snapshot: Snapshot,
    principal: string,
    capabilities: Envelope['capabilities'],
  ): ModernPlace | undefined {
    const roots = keyOf(snapshot.roots);
    const key = JSON.stringify(capabilities);
    for (const known of this.#places) {
      const isSame = known.principal === principal && keyOf(known.roots) === roots;
      if (isSame && (this.#innerEra.isModern || known.capabilities === key)) return known;
    }
    if (!this.#makeRoom(principal)) return undefined;
    const front = new ModernFront(
      { send: (pieces, related) => this.#send(place, Buffer.concat([...pieces]), related) },
      {
        ...this.#options,
        era: 'modern',
        innerEra: this.#innerEra,
        roots: new FixedRoots(snapshot),
        principal,
      },
      capabilities,
    );
    const place = new ModernPlace(String(this.#nextPlace++), front, principal, snapshot.roots, key);
    this.#places.add(place);
    this.#watch(place);
    return place;
  }

  #makeRoom(principal: string): boolean {
    if (this.#places.size < this.#maxServers) return true;
    const place = chooseToEnd(this.#places, principal);
    if (place !== undefined) this.#end(place, NO_ROOM);
    return place !== undefined;
  }

  #watch(place: ModernPlace): void {
    place.timer = setTimeout(() => {
      if (place.isBusy) this.#watch(place);
      else this.#end(place);
    }, IDLE_MS);
    place.timer.unref();
  }

  /** A request begins or ends. */
  #use(place: ModernPlace): void {
    place.usedAt = Date.now();
    if (this.#places.has(place)) place.timer?.refresh();
  }

  /** Ids of different clients may be the same, so each request gets one of ours. */
  async #pass(
    message: RawMessage,
    exchange: Exchange,
    place: ModernPlace,
    edits: readonly Edit[],
    headers: IncomingHttpHeaders,
    resumedToken?: string,
  ): Promise<void> {
    this.#use(place);
    const { id: outerId = 'null', method = '' } = message;
    if (method === 'tools/call') {
      place.headers ??= this.#headersOf(place, message);
      const fault = (await place.headers).faultOf(headers, message);
      if (fault !== undefined) {
        exchange.answer(Buffer.concat([...fail(outerId, fault.code, fault.message)]), 400);
        return;
      }
    }
    if (!exchange.isOpen) return;
    if (!this.#places.has(place)) {
      this.#answerLost(place, exchange, outerId, method);
      return;
    }
    const id = String(this.#nextId++);
    const token = message.raw('params', '_meta', 'progressToken');
    const innerToken = resumedToken ?? `progress-${id}`;
    place.exchanges.set(id, { exchange, id: outerId, method, token, innerToken });
    exchange.onClose(() => {
      this.#use(place);
      if (!place.exchanges.delete(id)) return;
      const params = { requestId: Number(id), reason: 'the client has left' };
      place.front.receive(RawMessage.from({ method: 'notifications/cancelled', params }));
    });
    // They are settled: the server must not make us ask for them again.
    const settled = message.span('params', '_meta', CAPABILITIES_KEY, 'roots');
    const roots = settled === undefined ? [] : [{ ...settled, text: 'null' }];
    const progress =
      token === undefined
        ? []
        : message.set(['params', '_meta', 'progressToken'], JSON.stringify(innerToken));
    const passed = RawMessage.read(
      Buffer.concat([...message.edited([...message.set(['id'], id), ...edits, ...roots, ...progress])]),
    );
    if (passed !== undefined) place.front.receive(passed);
  }

  /** Which arguments travel as headers, the tools of the server say; they are listed again when they have changed. */
  async #headersOf(place: ModernPlace, call: RawMessage): Promise<ParamHeaders> {
    const meta: unknown = call.value('params', '_meta');
    if (!place.isHeard) this.#hear(place, meta);
    const tools: unknown[] = [];
    let cursor: unknown;
    for (let page = 0; page < MAX_PAGES; page++) {
      const answer = await new Promise<RawMessage>((resolve) => {
        this.#ask(place, 'tools/list', { _meta: meta, ...(cursor !== undefined && { cursor }) }, resolve);
      });
      // For example a server that did not start; the next call may get another one.
      if (answer.isError) place.headers = undefined;
      const listed: unknown = answer.value('result', 'tools');
      if (Array.isArray(listed)) tools.push(...(listed as readonly unknown[]));
      cursor = answer.value('result', 'nextCursor');
      if (typeof cursor !== 'string') break;
    }
    return new ParamHeaders(tools);
  }

  #hear(place: ModernPlace, meta: unknown): void {
    place.isHeard = true;
    const params = { _meta: meta, notifications: { toolsListChanged: true } };
    this.#ask(place, 'subscriptions/listen', params, ({ kind, method }) => {
      if (kind === 'answer') place.isHeard = false;
      if (method === 'notifications/tools/list_changed') place.headers = undefined;
    });
  }

  #ask(place: ModernPlace, method: string, params: object, told: (message: RawMessage) => void): void {
    if (!this.#places.has(place)) {
      told(GONE);
      return;
    }
    const id = String(this.#nextId++);
    place.own.set(id, told);
    place.front.receive(RawMessage.from({ id: Number(id), method, params }));
  }

  #send(place: ModernPlace, bytes: Buffer, related: string | undefined): void {
    const message = RawMessage.read(bytes);
    if (message === undefined) return;
    if (message.method === 'notifications/progress') {
      this.#tellProgress(place, message);
      return;
    }
    const isAnswer = message.kind === 'answer';
    const key = isAnswer ? (message.id ?? '') : (related ?? '');
    place.own.get(key)?.(message);
    if (isAnswer) place.own.delete(key);
    const found = place.exchanges.get(key);
    if (found === undefined) return;
    if (!isAnswer) {
      const subscription = message.span('params', '_meta', SUBSCRIPTION_KEY);
      const edits = subscription === undefined ? [] : [{ ...subscription, text: found.id }];
      found.exchange.event(Buffer.concat([...message.edited(edits)]));
      return;
    }
    place.exchanges.delete(key);
    const edits = asksBack(message) ? this.#leadBack(place, message, found.innerToken) : [];
    const answer = Buffer.concat([...message.edited([...message.set(['id'], found.id), ...edits])]);
    found.exchange.answer(answer, STATUS.get(message.value('error', 'code')) ?? 200);
  }

  /** To whoever makes the call that it is about, and to nobody where that is not known. */
  #tellProgress(place: ModernPlace, message: RawMessage): void {
    const given: unknown = message.value('params', 'progressToken');
    for (const { innerToken, token, exchange } of place.exchanges.values()) {
      if (innerToken !== given || token === undefined) continue;
      exchange.event(Buffer.concat([...message.edited(message.set(['params', 'progressToken'], token))]));
      return;
    }
  }

  /** A client that returns gets the same server, with the state that the server gave, if any. */
  #leadBack(place: ModernPlace, message: RawMessage, innerToken: string): readonly Edit[] {
    place.awaitedUntil = Date.now() + RETURN_MS;
    const state: unknown = message.value('result', 'requestState');
    const own = `${place.number}/${innerToken}`;
    const signed = this.#signer.sign(`${own}${typeof state === 'string' ? `~${state}` : ''}`);
    return message.set(['result', 'requestState'], JSON.stringify(signed));
  }

  #resume(
    state: string,
    principal: string,
  ):
    | {
        readonly place: ModernPlace;
        readonly innerToken: string | undefined;
        readonly state: string | undefined;
      }
    | undefined {
    const verified = this.#signer.verify(state);
    if (verified === undefined) return undefined;
    const split = verified.indexOf('~');
    const [number, innerToken] = (split === -1 ? verified : verified.slice(0, split)).split('/');
    for (const place of this.#places) {
      if (place.number !== number || place.principal !== principal) continue;
      return { place, innerToken, state: split === -1 ? undefined : verified.slice(split + 1) };
    }
    return undefined;
  }
}

/** A refusal of ours, as a result of this era. */
function completed(pieces: readonly Buffer[], method: string): readonly Buffer[] {
  const answer = RawMessage.read(Buffer.concat([...pieces]));
  return answer === undefined ? pieces : answer.edited(asComplete(answer, method));
}
