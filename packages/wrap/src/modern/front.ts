import { isObject } from '@rootward/core/platform';
import { MAY_ASK_BACK, type RootsAnswer } from '../roots/call-roots.js';
import { fail } from '../session/answers.js';
import type { Outer } from '../session/outer.js';
import { Session } from '../session/session.js';
import type { SessionOptions } from '../session/session-options.js';
import { RawMessage } from '../wire/raw-message.js';
import {
  asComplete,
  LEGACY_REVISION,
  MODERN_REVISION,
  readEnvelope,
  SERVER_INFO_KEY,
  SUBSCRIPTION_KEY,
  withoutEnvelope,
  type Envelope,
} from '../wire/envelope.js';
import { beginCall, progressFor, tokenOf, type Call } from './call.js';
import { StateSigner } from './state.js';
import { Subscriptions } from './subscriptions.js';

/** Which capability lets a client be asked. */
const NEEDED: Readonly<Record<string, string>> = {
  'elicitation/create': 'elicitation',
  'sampling/createMessage': 'sampling',
};
/** Methods that the modern era no longer has: each request carries this itself, or a subscription does. */
const REMOVED: ReadonlySet<string> = new Set([
  'initialize',
  'ping',
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
]);
const INTRODUCE = '"introduce"';
const METHOD_NOT_FOUND = -32_601;
const INVALID_PARAMS = -32_602;
const UNSUPPORTED_VERSION = -32_022;
/** A user may take a while to answer a form; after that the call is given up. */
const RETURN_MS = 10 * 60_000;
const ROOTS_KEY = 'roots';
const ROOTS_QUESTION = RawMessage.from({ id: ROOTS_KEY, method: 'roots/list' });

/**
 * Lets a client of the modern era use a session of the legacy one: what the server asks in the middle of a call becomes
 * an `input_required` result of that call, and the call goes on when the client comes back with the answer. Requests to
 * a server that speaks the modern era itself keep what makes them requests of that era, and rounds are its own.
 */
export class ModernFront {
  readonly session: Session;
  readonly #outer: Outer;
  readonly #common: Envelope['capabilities'] | undefined;
  readonly #signer = new StateSigner();
  readonly #subscriptions = new Subscriptions();
  readonly #calls = new Map<string, Call>();
  /** What waits for the server to be introduced. */
  #waiting: RawMessage[] | undefined;
  #introduced: RawMessage | undefined;
  #capabilities: Envelope['capabilities'] = {};
  #logLevel: string | undefined;
  #nextId = 1;

  /** `common`: what the server is told its client can do, where several clients share it. */
  constructor(outer: Outer, options: SessionOptions, common?: Envelope['capabilities']) {
    this.#outer = outer;
    this.#common = common;
    const inner: Outer = { send: (pieces) => this.#fromSession(Buffer.concat([...pieces])) };
    this.session = new Session(inner, options);
  }

  receive(message: RawMessage): void {
    if (message.kind === 'answer') return;
    if (message.kind === 'notification') {
      if (message.method === 'notifications/cancelled') this.#cancelled(message);
      else this.session.receive(message);
      return;
    }
    const envelope = readEnvelope(message);
    const id = message.id ?? 'null';
    if (envelope === undefined) {
      const reason = 'Cannot serve the request: its _meta does not name revision and capabilities';
      this.#outer.send(fail(id, INVALID_PARAMS, reason), id);
    } else if (envelope.version !== MODERN_REVISION) {
      const data = { supported: [MODERN_REVISION], requested: envelope.version };
      const error = {
        code: UNSUPPORTED_VERSION,
        message: `Unsupported protocol version: ${envelope.version}`,
        data,
      };
      this.#outer.send(RawMessage.from({ id: 0, error }).withId(id), id);
    } else if (this.#introduced === undefined) {
      this.#introduce(message, envelope);
    } else {
      this.#capabilities = envelope.capabilities;
      if (!this.session.isModernInside) this.#setLogLevel(envelope.logLevel);
      this.#requested(message, id, envelope.logLevel !== undefined);
    }
  }

  #introduce(message: RawMessage, { info, capabilities }: Envelope): void {
    if (this.#waiting !== undefined) {
      this.#waiting.push(message);
      return;
    }
    this.#waiting = [message];
    this.#capabilities = capabilities;
    const clientInfo = isObject(info) ? info : { name: 'unknown', version: '0' };
    const told = this.#common ?? capabilities;
    const params = { protocolVersion: LEGACY_REVISION, capabilities: told, clientInfo };
    this.session.receive(RawMessage.from({ id: JSON.parse(INTRODUCE), method: 'initialize', params }));
  }

  #onIntroduced(answer: RawMessage): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    if (answer.isError) {
      for (const { id = 'null' } of waiting) this.#outer.send(answer.withId(id), id);
      return;
    }
    this.#introduced = answer;
    this.session.receive(RawMessage.from({ method: 'notifications/initialized' }));
    for (const message of waiting) this.receive(message);
  }

  #requested(message: RawMessage, id: string, isLogged: boolean): void {
    const { method = '' } = message;
    const state: unknown = message.value('params', 'requestState');
    // The state of a modern server is opaque to us.
    const isOurs =
      typeof state === 'string' && (!this.session.isModernInside || this.#signer.verify(state) !== undefined);
    if (REMOVED.has(method)) {
      this.#outer.send(fail(id, METHOD_NOT_FOUND, `Method not found: ${method}`), id);
    } else if (method === 'server/discover') {
      this.#outer.send(RawMessage.from({ id: 0, result: discoveryOf(this.#introduced) }).withId(id), id);
    } else if (method === 'subscriptions/listen') {
      this.#listen(message, id);
    } else if (isOurs) {
      this.#resume(message, id);
    } else {
      this.#call(message, id, method, isLogged, tokenOf(message));
    }
  }

  #call(message: RawMessage, id: string, method: string, isLogged: boolean, token: string | undefined): void {
    const inner = String(this.#nextId++);
    const envelope = this.session.isModernInside ? [] : withoutEnvelope(message);
    const edits = [...message.set(['id'], inner), ...envelope];
    const request = RawMessage.read(Buffer.concat([...message.edited(edits)]));
    if (request === undefined) return;
    const call = beginCall({ inner, method, request, isLogged, outerId: id, token });
    this.#calls.set(inner, call);
    if (this.#isAsked(method)) this.#askIn(call, ROOTS_QUESTION);
    else this.#begin(call);
  }

  /** Whether a call has to be answered with a question for the roots first. */
  #isAsked(method: string): boolean {
    return MAY_ASK_BACK.has(method) && this.session.asksForRoots && isObject(this.#capabilities['roots']);
  }

  #begin(call: Call, answer?: RootsAnswer): void {
    call.isBegun = true;
    this.session.receive(call.request, answer);
  }

  /** The client is back with answers. */
  #resume(message: RawMessage, id: string): void {
    const call = this.#calls.get(this.#signer.verify(message.value('params', 'requestState')) ?? '');
    if (call === undefined || call.outerId !== undefined) {
      const reason =
        'Cannot go on with this call: its state is not known here any more; call again without it';
      this.#outer.send(fail(id, INVALID_PARAMS, reason), id);
      return;
    }
    clearTimeout(call.timer);
    call.outerId = id;
    call.token = tokenOf(message);
    const { asked } = call;
    call.asked = new Map();
    if (!call.isBegun) {
      const result: unknown = message.value('params', 'inputResponses', ROOTS_KEY);
      this.#begin(call, result === undefined ? { missing: true } : { result });
      return;
    }
    for (const [key, question] of asked) {
      const result = message.raw('params', 'inputResponses', key);
      this.#settle(
        question,
        result === undefined ? undefined : `{"jsonrpc":"2.0","id":${question},"result":${result}}`,
      );
    }
    if (call.answer === undefined) this.#askNext(call);
    else this.#finish(call, call.answer);
  }

  #settle(question: string, answer: string | undefined): void {
    const message = answer === undefined ? undefined : RawMessage.read(Buffer.from(answer));
    const error = { code: METHOD_NOT_FOUND, message: 'The client gave no answer' };
    this.session.receive(message ?? RawMessage.from({ id: Number(question), error }));
  }

  /** A question of the server. */
  #ask(question: RawMessage): void {
    const { id = 'null', method = '' } = question;
    if (method === 'ping') {
      this.session.receive(RawMessage.from({ id: Number(id), result: {} }));
      return;
    }
    const needed = NEEDED[method];
    const open = [...this.#calls.values()].filter((call) => MAY_ASK_BACK.has(call.method) && call.isBegun);
    // One that already waits for its user is only asked more where no other is open.
    const call = open.find(({ outerId }) => outerId !== undefined) ?? open[0];
    if (needed === undefined || !isObject(this.#capabilities[needed]) || call === undefined) {
      const reason =
        call === undefined
          ? 'no call is open that could carry the question'
          : `the client does not support ${method}`;
      this.session.receive(
        RawMessage.from({ id: Number(id), error: { code: METHOD_NOT_FOUND, message: reason } }),
      );
      return;
    }
    this.#askIn(call, question);
  }

  #askIn(call: Call, question: RawMessage): void {
    call.queue.push(question);
    this.#askNext(call);
  }

  #askNext(call: Call): void {
    const { outerId, queue } = call;
    if (outerId === undefined || queue.length === 0) return;
    const questions = queue.splice(0);
    const asked = questions.map(
      (question) =>
        [
          question === ROOTS_QUESTION ? ROOTS_KEY : `question-${question.id ?? ''}`,
          question.id ?? '',
        ] as const,
    );
    call.asked = new Map(asked);
    call.lastId = outerId;
    call.outerId = undefined;
    call.timer = setTimeout(() => this.#giveUp(call), RETURN_MS);
    call.timer.unref();
    const requests = questions.map((question, index) => {
      const params = question.raw('params');
      const body = params === undefined ? '' : `,"params":${params}`;
      return `${JSON.stringify(asked[index]?.[0])}:{"method":${question.raw('method') ?? '""'}${body}}`;
    });
    const state = JSON.stringify(this.#signer.sign(call.inner));
    const result = `{"resultType":"input_required","inputRequests":{${requests.join(',')}},"requestState":${state}}`;
    this.#outer.send([Buffer.from(`{"jsonrpc":"2.0","id":${outerId},"result":${result}}`)], outerId);
  }

  /** The client did not return in time, or says that it will not. */
  #giveUp(call: Call): void {
    clearTimeout(call.timer);
    this.#calls.delete(call.inner);
    if (!call.isBegun) return;
    for (const question of [...call.asked.values(), ...call.queue.flatMap(({ id }) => id ?? [])])
      this.#settle(question, undefined);
    const params = { requestId: Number(call.inner), reason: 'the client did not come back with an answer' };
    this.session.receive(RawMessage.from({ method: 'notifications/cancelled', params }));
  }

  #finish(call: Call, answer: RawMessage): void {
    const { outerId = 'null' } = call;
    this.#calls.delete(call.inner);
    clearTimeout(call.timer);
    this.#outer.send(
      answer.edited([...answer.set(['id'], outerId), ...asComplete(answer, call.method)]),
      outerId,
    );
  }

  #fromSession(bytes: Buffer): void {
    const message = RawMessage.read(bytes);
    if (message === undefined) return;
    switch (message.kind) {
      case 'answer': {
        if (message.id === INTRODUCE) this.#onIntroduced(message);
        const call = this.#calls.get(message.id ?? '');
        if (call === undefined) return;
        if (call.outerId === undefined) call.answer = message;
        else this.#finish(call, message);
        return;
      }
      case 'request':
        this.#ask(message);
        return;
      case 'notification':
        this.#notify(message);
    }
  }

  #notify(message: RawMessage): void {
    const { method = '' } = message;
    if (Subscriptions.isRouted(method)) {
      for (const { id, pieces } of this.#subscriptions.route(message)) this.#outer.send(pieces, id);
    } else if (method === 'notifications/message') {
      const id = this.#openId(({ isLogged }) => isLogged);
      if (id !== undefined) this.#outer.send([message.bytes], id);
    } else if (method === 'notifications/progress') {
      const told = progressFor(message, this.#calls.values());
      if (told !== undefined) this.#outer.send(told.pieces, told.id ?? this.#openId());
    } else if (method !== 'notifications/cancelled') {
      this.#outer.send([message.bytes], this.#openId());
    }
  }

  #openId(isWanted: (call: Call) => boolean = () => true): string | undefined {
    for (const call of this.#calls.values())
      if (call.outerId !== undefined && isWanted(call)) return call.outerId;
    return undefined;
  }

  #cancelled(message: RawMessage): void {
    const id = message.raw('params', 'requestId') ?? '';
    const unheard = this.#subscriptions.close(id);
    if (unheard !== undefined) {
      for (const uri of unheard) this.#tellServer('resources/unsubscribe', { uri });
      const result = { resultType: 'complete', _meta: { [SUBSCRIPTION_KEY]: JSON.parse(id) as unknown } };
      this.#outer.send(RawMessage.from({ id: 0, result }).withId(id), id);
      return;
    }
    const call = [...this.#calls.values()].find(({ outerId, lastId }) => (outerId ?? lastId) === id);
    if (call?.outerId === undefined) {
      // It was asked something meanwhile.
      if (call !== undefined) this.#giveUp(call);
      return;
    }
    this.#calls.delete(call.inner);
    this.session.receive(
      RawMessage.read(Buffer.concat([...message.edited(message.set(['params', 'requestId'], call.inner))])) ??
        message,
    );
  }

  #listen(message: RawMessage, id: string): void {
    const { notifications, uris } = this.#subscriptions.open(id, message);
    for (const uri of uris) this.#tellServer('resources/subscribe', { uri });
    const params = { notifications, _meta: { [SUBSCRIPTION_KEY]: JSON.parse(id) as unknown } };
    this.#outer.send(
      [RawMessage.from({ method: 'notifications/subscriptions/acknowledged', params }).bytes],
      id,
    );
  }

  #setLogLevel(level: string | undefined): void {
    if (level === undefined || level === this.#logLevel) return;
    this.#logLevel = level;
    const { capabilities } = resultOf(this.#introduced);
    if (isObject(capabilities) && capabilities['logging'] !== undefined)
      this.#tellServer('logging/setLevel', { level });
  }

  /** A request whose answer nobody waits for. */
  #tellServer(method: string, params: object): void {
    this.session.receive(RawMessage.from({ id: `own-${String(this.#nextId++)}`, method, params }));
  }
}

/** The result of `server/discover`, from what a server answered to its introduction. */
function discoveryOf(introduced: RawMessage | undefined): object {
  const { capabilities = {}, serverInfo, instructions } = resultOf(introduced);
  return {
    supportedVersions: [MODERN_REVISION],
    capabilities,
    ...(typeof instructions === 'string' && { instructions }),
    resultType: 'complete',
    ttlMs: 0,
    cacheScope: 'private',
    _meta: { [SERVER_INFO_KEY]: serverInfo },
  };
}

function resultOf(answer: RawMessage | undefined): Readonly<Record<string, unknown>> {
  const result: unknown = answer?.value('result');
  return isObject(result) ? result : {};
}
