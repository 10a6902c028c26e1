import { resolveSnapshot, viewSnapshot, type Snapshot } from '@rootward/core';
import { isObject } from '@rootward/core/platform';
import { Callers } from '@rootward/mcp/host';
import type { StateSigner } from '../modern/state.js';
import { MAY_ASK_BACK, placeOf } from '../roots/call-roots.js';
import { INTRODUCTORY } from '../session/introduction.js';
import type { SessionOptions } from '../session/session-options.js';
import { readEnvelope } from '../wire/envelope.js';
import { RawMessage } from '../wire/raw-message.js';

const ROOTS_KEY = 'roots';

/** The roots of requests of the modern era, each of which says, or is asked, what it works in. */
export class RequestRoots {
  readonly #prepared: SessionOptions['prepared'];
  readonly #callers: Callers;
  readonly #signer: StateSigner;

  constructor(prepared: SessionOptions['prepared'], signer: StateSigner) {
    this.#prepared = prepared;
    this.#callers = new Callers(prepared, () => false);
    this.#signer = signer;
  }

  /** Whether a request with this state brings the answer to what `of()` asked. */
  isAnswer(state: unknown): boolean {
    return state === this.#signer.sign(ROOTS_KEY);
  }

  /** In place of the roots, the result that asks the client for them, where it has to be asked first. */
  async of(message: RawMessage): Promise<Snapshot | { readonly question: RawMessage }> {
    const envelope = readEnvelope(message);
    const sources = await this.#prepared.sources('http');
    const canAsk =
      isObject(envelope?.capabilities['roots']) &&
      sources.clientRoots !== 'ignore' &&
      MAY_ASK_BACK.has(message.method ?? '');
    const responses: unknown = message.value('params', 'inputResponses');
    const given = isObject(responses) ? responses[ROOTS_KEY] : undefined;
    if (canAsk && responses === undefined) return { question: this.#question() };
    const answer = given === undefined ? ({ missing: true } as const) : { result: given };
    const meta: unknown = message.value('params', '_meta');
    const facts = { declaresRoots: canAsk, answer: canAsk ? answer : undefined, meta };
    const snapshot = await resolveSnapshot(sources, facts, { now: Date.now() });
    if (isAboutServer(message.method ?? '')) return snapshot;
    const info = envelope?.info;
    const roots = await placeOf(viewSnapshot(snapshot), this.#callers, {
      meta,
      client: isObject(info) && typeof info['name'] === 'string' ? info['name'] : undefined,
      transport: 'http',
      came: this.#callers.arrive(),
    });
    // What the operator took away while that was looked up does not count.
    return { ...snapshot, roots: sources.limits?.apply(roots) ?? roots };
  }

  #question(): RawMessage {
    const inputRequests = { [ROOTS_KEY]: { method: 'roots/list' } };
    const requestState = this.#signer.sign(ROOTS_KEY);
    return RawMessage.from({ id: 0, result: { resultType: 'input_required', inputRequests, requestState } });
  }
}

/** Whether a request is served wherever its caller works. */
export function isAboutServer(method: string): boolean {
  return INTRODUCTORY.has(method) || method === 'server/discover' || method === 'subscriptions/listen';
}
