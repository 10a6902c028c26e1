import { resolveSnapshot, type OperatorLimits, type Snapshot } from '@rootward/core';
import { isObject } from '@rootward/core/platform';
import { CAPABILITIES_KEY, readEnvelope, SUBSCRIPTION_KEY } from '../wire/envelope.js';
import { ModernFront } from '../modern/front.js';
import { StateSigner } from '../modern/state.js';
import { FixedRoots } from '../roots/fixed-roots.js';
import { MAY_ASK_BACK } from '../roots/may-ask-back.js';
import { fail, NO_ROOTS, refuse } from '../session/answers.js';
import { INTRODUCTORY } from '../session/introduction.js';
import type { SessionOptions } from '../session/session-options.js';
import { isLimited, keyOf } from '../session/side-servers.js';
import { RawMessage, type Edit } from '../wire/raw-message.js';
import type { Exchange } from './exchange.js';

interface Place {
  readonly number: string;
  readonly front: ModernFront;
  readonly principal: string;
  readonly roots: Snapshot['roots'];
  readonly exchanges: Map<string, { readonly exchange: Exchange; readonly id: string }>;
  timer: NodeJS.Timeout | undefined;
}

const ROOTS_KEY = 'roots';
const IDLE_MS = 5 * 60_000;
const INVALID_PARAMS = -32_602;
const METHOD_NOT_FOUND = -32_601;

/**
 * Clients of the modern era over HTTP. Their requests stand alone: each says, or is asked, which roots it works in, and
 * gets the server that there is for these roots and its principal.
 */
export class ModernClients {
  readonly #options: Omit<SessionOptions, 'era' | 'roots'>;
  readonly #signer = new StateSigner();
  readonly #places = new Map<string, Place>();
  #nextId = 1;
  #nextPlace = 1;

  constructor(options: Omit<SessionOptions, 'era' | 'roots'>) {
    this.#options = options;
    void options.prepared.sources('http').then(
      ({ limits }) => limits?.onDidChange(() => this.#endLimited(limits)),
      () => undefined,
    );
  }

  async receive(message: RawMessage, exchange: Exchange, principal: string): Promise<void> {
    const id = message.id ?? 'null';
    const state: unknown = message.value('params', 'requestState');
    const resumed = typeof state === 'string' ? this.#resume(state, principal) : undefined;
    if (resumed !== undefined) {
      this.#pass(
        message,
        exchange,
        resumed.place,
        message.set(['params', 'requestState'], JSON.stringify(resumed.state)),
      );
      return;
    }
    if (state !== undefined && state !== this.#signer.sign(ROOTS_KEY)) {
      const reason =
        'Cannot go on with this call: its state is not known here any more; call again without it';
      exchange.answer(Buffer.concat([...fail(id, INVALID_PARAMS, reason)]));
      return;
    }
    const snapshot = await this.#rootsOf(message, exchange, id);
    if (snapshot === undefined) return;
    const { method = '' } = message;
    if (snapshot.roots.length === 0 && !INTRODUCTORY.has(method) && method !== 'server/discover') {
      exchange.answer(Buffer.concat([...refuse(id, method, NO_ROOTS)]));
      return;
    }
    // The round that brought the roots is over; for the server this is the first one.
    const round = state === undefined ? [] : message.set(['params', 'requestState'], 'null');
    this.#pass(message, exchange, this.#placeFor(snapshot, principal, capabilitiesOf(message)), round);
  }

  close(): void {
    for (const { front, timer } of this.#places.values()) {
      clearTimeout(timer);
      void front.session.close();
    }
    this.#places.clear();
  }

  /** Servers of roots that the operator has limited since: their next request gets another. */
  #endLimited(limits: OperatorLimits): void {
    for (const [key, { front, timer, roots }] of this.#places) {
      if (!isLimited(roots, limits)) continue;
      clearTimeout(timer);
      this.#places.delete(key);
      void front.session.close();
    }
  }

  /** Undefined where the client was asked for them instead. */
  async #rootsOf(message: RawMessage, exchange: Exchange, id: string): Promise<Snapshot | undefined> {
    const envelope = readEnvelope(message);
    const sources = await this.#options.prepared.sources('http');
    const canAsk =
      isObject(envelope?.capabilities['roots']) &&
      sources.clientRoots !== 'ignore' &&
      MAY_ASK_BACK.has(message.method ?? '');
    const responses: unknown = message.value('params', 'inputResponses');
    const given = isObject(responses) ? responses[ROOTS_KEY] : undefined;
    if (canAsk && responses === undefined) {
      const inputRequests = { [ROOTS_KEY]: { method: 'roots/list' } };
      const result = {
        resultType: 'input_required',
        inputRequests,
        requestState: this.#signer.sign(ROOTS_KEY),
      };
      exchange.answer(Buffer.concat([...RawMessage.from({ id: 0, result }).withId(id)]));
      return undefined;
    }
    const answer = given === undefined ? ({ missing: true } as const) : { result: given };
    const facts = {
      declaresRoots: canAsk,
      answer: canAsk ? answer : undefined,
      meta: message.value('params', '_meta'),
    };
    return resolveSnapshot(sources, facts, { now: Date.now() });
  }

  #placeFor(snapshot: Snapshot, principal: string, capabilities: string): Place {
    const key = JSON.stringify([principal, keyOf(snapshot.roots), capabilities]);
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    const exchanges: Place['exchanges'] = new Map();
    const front = new ModernFront(
      { send: (pieces, related) => this.#send(place, Buffer.concat([...pieces]), related) },
      { ...this.#options, era: 'modern', roots: new FixedRoots(snapshot), principal },
    );
    const place: Place = {
      number: String(this.#nextPlace++),
      front,
      principal,
      exchanges,
      roots: snapshot.roots,
      timer: undefined,
    };
    this.#places.set(key, place);
    this.#watch(key, place);
    return place;
  }

  #watch(key: string, place: Place): void {
    place.timer = setTimeout(() => {
      if (place.exchanges.size > 0 || place.front.session.busy) {
        this.#watch(key, place);
        return;
      }
      this.#places.delete(key);
      void place.front.session.close();
    }, IDLE_MS);
    place.timer.unref();
  }

  /** Ids of different clients may be the same, so each request gets one of ours. */
  #pass(message: RawMessage, exchange: Exchange, place: Place, edits: readonly Edit[]): void {
    const id = String(this.#nextId++);
    place.exchanges.set(id, { exchange, id: message.id ?? 'null' });
    place.timer?.refresh();
    exchange.onClose(() => {
      if (!place.exchanges.delete(id)) return;
      const params = { requestId: Number(id), reason: 'the client has left' };
      place.front.receive(RawMessage.from({ method: 'notifications/cancelled', params }));
    });
    // They are settled: the server must not make us ask for them again.
    const settled = message.span('params', '_meta', CAPABILITIES_KEY, 'roots');
    const roots = settled === undefined ? [] : [{ ...settled, text: 'null' }];
    const passed = RawMessage.read(
      Buffer.concat([...message.edited([...message.set(['id'], id), ...edits, ...roots])]),
    );
    if (passed !== undefined) place.front.receive(passed);
  }

  #send(place: Place, bytes: Buffer, related: string | undefined): void {
    const message = RawMessage.read(bytes);
    if (message === undefined) return;
    const key = message.kind === 'answer' ? (message.id ?? '') : (related ?? '');
    const found = place.exchanges.get(key);
    if (found === undefined) return;
    if (message.kind !== 'answer') {
      const subscription = message.span('params', '_meta', SUBSCRIPTION_KEY);
      const edits = subscription === undefined ? [] : [{ ...subscription, text: found.id }];
      found.exchange.event(Buffer.concat([...message.edited(edits)]));
      return;
    }
    place.exchanges.delete(key);
    const state: unknown = message.value('result', 'requestState');
    const wrapped = typeof state === 'string' ? this.#signer.sign(`${place.number}~${state}`) : undefined;
    const edits =
      wrapped === undefined ? [] : message.set(['result', 'requestState'], JSON.stringify(wrapped));
    const answer = Buffer.concat([...message.edited([...message.set(['id'], found.id), ...edits])]);
    const isUnknown = message.isError && message.value('error', 'code') === METHOD_NOT_FOUND;
    found.exchange.answer(answer, isUnknown ? 404 : 200);
  }

  #resume(state: string, principal: string): { readonly place: Place; readonly state: string } | undefined {
    const verified = this.#signer.verify(state);
    const split = verified?.indexOf('~') ?? -1;
    if (verified === undefined || split === -1) return undefined;
    const number = verified.slice(0, split);
    const place = [...this.#places.values()].find(
      (each) => each.number === number && each.principal === principal,
    );
    return place === undefined ? undefined : { place, state: verified.slice(split + 1) };
  }
}

/** A server learns once what its clients can be asked, so that clients of other abilities have another. */
function capabilitiesOf(message: RawMessage): string {
  const { roots: _, ...others } = readEnvelope(message)?.capabilities ?? {};
  return JSON.stringify(Object.entries(others).sort(([one], [other]) => (one < other ? -1 : 1)));
}
