import { isObject } from '@rootward/core/platform';
import {
  asksBack,
  CAPABILITIES_KEY,
  enveloped,
  MODERN_REVISION,
  SERVER_INFO_KEY,
  VERSION_KEY,
} from '../wire/envelope.js';
import { RawMessage, type Edit } from '../wire/raw-message.js';
import { mixedRound, nativeEdits, rootsWantedBy, withRoots } from './native-rounds.js';
import {
  isAnswerToQuestion,
  isFruitful,
  questionsIn,
  responsesTo,
  roundId,
  type Question,
} from './rounds.js';

/** The two sides of a bridge. */
export interface EraBridgeEnds {
  toServer(pieces: readonly Buffer[]): void;
  toUs(message: RawMessage): void;
  /** The roots as the result of `roots/list`. Called when the server asks for them. */
  roots(): string;
}

/** A request of ours that is to be answered in several rounds. */
interface Call {
  readonly request: RawMessage;
  /** The client speaks the modern era itself: what the server wants to know is its to answer, apart from the roots. */
  readonly isNative: boolean;
  rounds: number;
  /** Rounds in a row that brought the server nothing from the client. */
  emptyRounds: number;
  /** What the server wants to know: the id of each question, and the answer once it is there. */
  questions: ReadonlyMap<string, Question>;
  /** What the server wants back, as written. */
  state: string | undefined;
}

const DISCOVER = '"rootward-discover"';
const PING = '"rootward-ping"';
/** A server that has not answered by then may not answer questions at all before it is introduced. */
const DISCOVER_MS = 5000;
/** Servers answer in order, or nearly so: one that has answered the later question leaves the first one unanswered. */
const LATE_MS = 250;
/** A server that keeps asking for roots, or for what nobody answers, would never answer itself. */
const MAX_ROUNDS = 16;
const ENDLESS = `The server asked something ${String(MAX_ROUNDS)} times in a row and still has no answer; tell the user`;
const INTERNAL_ERROR = -32_603;
const CHANGES: readonly (readonly [capability: string, member: string])[] = [
  ['tools', 'toolsListChanged'],
  ['prompts', 'promptsListChanged'],
  ['resources', 'resourcesListChanged'],
];

/**
 * Which era a command turned out to speak, kept from one start of it to the next. A client of the modern era wants a
 * server to be asked in its own words first; servers that end over a question they do not know are not asked again.
 */
export class InnerEra {
  readonly #wanted: 'legacy' | 'modern';
  #isModern: boolean | undefined;

  constructor(wanted: 'legacy' | 'modern') {
    this.#wanted = wanted;
  }

  /** Whether the next server is asked in the modern era before it is introduced in the legacy one. */
  get triesModern(): boolean {
    return this.#wanted === 'modern' && this.#isModern !== false;
  }

  /** Whether the server speaks the modern era, and is spoken to in it. */
  get isModern(): boolean {
    return this.#isModern === true;
  }

  /** A server answered, or ended without an answer. */
  learn(isModern: boolean): void {
    this.#isModern = isModern;
  }

  /** It ended for another reason. */
  forget(): void {
    this.#isModern = undefined;
  }
}

/**
 * Lets a server of the modern era be spoken to in the legacy one. Does nothing for servers of the legacy era. What such
 * a server wants to know in the middle of a call is asked as a server of the legacy era would, and the call is repeated
 * with the answers. A request that is one of the modern era already is passed on as it is.
 */
export class EraBridge {
  readonly #ends: EraBridgeEnds;
  readonly #era: InnerEra;
  readonly #calls = new Map<string, Call>();
  readonly #uris = new Set<string>();
  /** By the id of a round: the id of its call. */
  readonly #rounds = new Map<string, string>();
  #initialize: { readonly id: string; readonly request: RawMessage } | undefined;
  #refusal: RawMessage | undefined;
  #discovery: Readonly<Record<string, unknown>> | undefined;
  #logLevel: string | undefined;
  #listening = 0;
  /** Runs while the server is asked whether it speaks the modern era, before anything else. */
  #trying: NodeJS.Timeout | undefined;
  #isIntroduced = false;

  constructor(ends: EraBridgeEnds, era: InnerEra) {
    this.#ends = ends;
    this.#era = era;
  }

  /** Whether the server is spoken to in the modern era. */
  get isModern(): boolean {
    return this.#discovery !== undefined;
  }

  /** The request that an answer under this id belongs to: its own, or one that was repeated in rounds. */
  callOf(id: string): string {
    return this.#rounds.get(id) ?? id;
  }

  /** The call was answered otherwise, in the round with this id. */
  forget(id: string, round: string): void {
    this.#rounds.delete(round);
    this.#calls.delete(id);
  }

  /** Something for the server. */
  send(pieces: readonly Buffer[]): void {
    if (this.#discovery === undefined) {
      this.#ends.toServer(pieces);
      return;
    }
    const message = RawMessage.read(Buffer.concat([...pieces]));
    if (message?.kind === 'request') this.#request(message, message.id ?? '');
    else if (message?.kind === 'answer') this.#answered(message);
    else if (message !== undefined) this.#notify(message);
  }

  /** Introduces the client, in the era that suits both. */
  introduce(id: string, request: RawMessage): void {
    this.#initialize = { id, request };
    if (!this.#era.triesModern) {
      this.#sendInitialize();
      return;
    }
    this.#tryFor(DISCOVER_MS);
    this.#send(RawMessage.from({ id: 0, method: 'server/discover' }), DISCOVER);
    // Allowed before the introduction, and known to all: some servers say nothing to what they do not know.
    this.#send(RawMessage.from({ id: 0, method: 'ping' }), PING);
  }

  /** The server has ended, because of the question if that was the last message it got. */
  close(): void {
    if (this.#trying !== undefined && !this.#era.isModern) this.#era.learn(false);
    this.#stopTrying();
  }

  /** A message of the server. */
  receive(message: RawMessage): void {
    const { id = '' } = message;
    if (id === PING && message.kind === 'answer') {
      if (this.#trying !== undefined) this.#tryFor(LATE_MS);
      return;
    }
    if (this.#discovery !== undefined) this.#fromModern(message, id);
    else if (message.kind !== 'answer') this.#ends.toUs(message);
    else if (id === DISCOVER) this.#discovered(message);
    else if (id === this.#initialize?.id) this.#introduced(message);
    else this.#ends.toUs(message);
  }

  /** The answer to `initialize`. */
  #introduced(message: RawMessage): void {
    if (message.isError && !this.#era.triesModern) {
      this.#refusal = message;
      this.#send(RawMessage.from({ id: 0, method: 'server/discover' }), DISCOVER);
      return;
    }
    this.#stopTrying();
    this.#era.learn(false);
    this.#initialize = undefined;
    this.#ends.toUs(message);
  }

  #sendInitialize(): void {
    this.#stopTrying();
    if (this.#isIntroduced || this.#initialize === undefined) return;
    this.#isIntroduced = true;
    const { id, request } = this.#initialize;
    this.#ends.toServer(request.withId(id));
  }

  #tryFor(ms: number): void {
    clearTimeout(this.#trying);
    this.#trying = setTimeout(() => this.#sendInitialize(), ms);
    this.#trying.unref();
  }

  #stopTrying(): void {
    clearTimeout(this.#trying);
    this.#trying = undefined;
  }

  #discovered(message: RawMessage): void {
    // It answered `initialize` first: that settles it.
    if (this.#initialize === undefined) return;
    this.#stopTrying();
    const { id, request } = this.#initialize;
    const result: unknown = message.isError ? undefined : message.value('result');
    const versions = isObject(result) ? result['supportedVersions'] : undefined;
    if (!isObject(result) || !Array.isArray(versions) || !versions.includes(MODERN_REVISION)) {
      this.#era.learn(false);
      if (this.#refusal !== undefined) this.#ends.toUs(this.#refusal);
      else this.#sendInitialize();
      return;
    }
    this.#era.learn(true);
    this.#discovery = result;
    const { capabilities = {}, instructions, _meta: meta } = result;
    const serverInfo = (isObject(meta) ? meta[SERVER_INFO_KEY] : undefined) ?? {
      name: 'unknown',
      version: '0',
    };
    const protocolVersion = request.value('params', 'protocolVersion');
    const answer = {
      protocolVersion,
      capabilities,
      serverInfo,
      ...(instructions !== undefined && { instructions }),
    };
    this.#ends.toUs(RawMessage.from({ id: Number(id), result: answer }));
  }

  #request(message: RawMessage, id: string): void {
    const uri: unknown = message.value('params', 'uri');
    switch (message.method ?? '') {
      case 'ping':
        break;
      case 'logging/setLevel':
        this.#logLevel = message.raw('params', 'level');
        break;
      case 'resources/subscribe':
        this.#uris.add(String(uri));
        this.#listen();
        break;
      case 'resources/unsubscribe':
        this.#uris.delete(String(uri));
        this.#listen();
        break;
      default:
        this.#call(message, id);
        return;
    }
    // Later, so that the caller has recorded the request first.
    queueMicrotask(() => this.#ends.toUs(RawMessage.from({ id: Number(id), result: {} })));
  }

  #call(message: RawMessage, id: string): void {
    const isNative = message.span('params', '_meta', VERSION_KEY) !== undefined;
    this.#calls.set(id, {
      request: message,
      isNative,
      rounds: 0,
      emptyRounds: 0,
      questions: new Map(),
      state: undefined,
    });
    if (!isNative) {
      this.#send(message, id);
      return;
    }
    this.#ends.toServer(message.edited(nativeEdits(message, () => this.#ends.roots())));
  }

  #notify(message: RawMessage): void {
    switch (message.method ?? '') {
      case 'notifications/initialized':
        this.#listen();
        return;
      case 'notifications/roots/list_changed':
        return;
      case 'notifications/cancelled': {
        const id = message.raw('params', 'requestId') ?? '';
        const { rounds = 0 } = this.#calls.get(id) ?? {};
        const round = roundId(id, rounds);
        this.forget(id, round);
        this.#ends.toServer(message.edited(message.set(['params', 'requestId'], round)));
        return;
      }
      default:
        this.#ends.toServer([message.bytes]);
    }
  }

  /** Changes are reported to listeners; a new filter replaces the old one. */
  #listen(): void {
    const { capabilities } = this.#discovery ?? {};
    const kinds = CHANGES.filter(([name]) => {
      const capability = isObject(capabilities) ? capabilities[name] : undefined;
      return isObject(capability) && capability['listChanged'] === true;
    });
    const notifications = {
      ...Object.fromEntries(kinds.map(([, member]) => [member, true])),
      ...(this.#uris.size > 0 && { resourceSubscriptions: [...this.#uris] }),
    };
    if (this.#listening > 0) {
      const params = { requestId: `listen-${String(this.#listening)}` };
      this.#ends.toServer([RawMessage.from({ method: 'notifications/cancelled', params }).bytes]);
    }
    if (Object.keys(notifications).length === 0) return;
    this.#listening += 1;
    const request = RawMessage.from({ id: 0, method: 'subscriptions/listen', params: { notifications } });
    this.#send(request, `"listen-${String(this.#listening)}"`);
  }

  #fromModern(message: RawMessage, id: string): void {
    if (message.kind !== 'answer') {
      if (message.method !== 'notifications/subscriptions/acknowledged') this.#ends.toUs(message);
      return;
    }
    const callId = this.#rounds.get(id) ?? id;
    this.#rounds.delete(id);
    const call = this.#calls.get(callId);
    if (call === undefined) return;
    if (call.isNative) {
      this.#answerNative(message, callId, call);
      return;
    }
    if (asksBack(message)) {
      this.#ask(message, callId, call);
      return;
    }
    this.#finish(message, callId);
  }

  /** What only the client can answer is left to it; the roots are not. */
  #answerNative(message: RawMessage, id: string, call: Call): void {
    const wanted = rootsWantedBy(message);
    if (wanted === undefined || wanted.isMixed) {
      const hasRoots = call.request.span('params', '_meta', CAPABILITIES_KEY, 'roots') !== undefined;
      this.#finish(message, id, wanted === undefined ? [] : mixedRound(message, wanted.roots, hasRoots));
      return;
    }
    call.rounds += 1;
    if (call.rounds > MAX_ROUNDS) {
      this.#giveUp(id);
      return;
    }
    const { request, rounds } = call;
    const round = roundId(id, rounds);
    this.#rounds.set(round, id);
    const edits = withRoots(request, message, wanted.roots, this.#ends.roots());
    const repeated = RawMessage.read(
      Buffer.concat([...request.edited([...edits, ...request.set(['id'], round)])]),
    );
    if (repeated !== undefined)
      this.#ends.toServer(repeated.edited(nativeEdits(repeated, () => this.#ends.roots())));
  }

  #finish(message: RawMessage, id: string, edits: readonly Edit[] = []): void {
    this.#calls.delete(id);
    const hasId = message.id === id;
    const answer =
      hasId && edits.length === 0
        ? message
        : RawMessage.read(Buffer.concat([...message.edited([...message.set(['id'], id), ...edits])]));
    if (answer !== undefined) this.#ends.toUs(answer);
  }

  #giveUp(id: string): void {
    this.#finish(RawMessage.from({ id: 0, error: { code: INTERNAL_ERROR, message: ENDLESS } }), id);
  }

  #ask(message: RawMessage, id: string, call: Call): void {
    call.state = message.raw('result', 'requestState');
    call.rounds += 1;
    call.questions = questionsIn(message, id, call.rounds);
    if (call.questions.size === 0) this.#repeat(id, call);
    for (const { request } of call.questions.values()) this.#ends.toUs(request);
  }

  /** An answer to something that the server wants to know. */
  #answered(message: RawMessage): void {
    for (const [id, call] of this.#calls) {
      const question = call.questions.get(message.id ?? '');
      if (question === undefined) continue;
      question.answer = message;
      if ([...call.questions.values()].every(({ answer }) => answer !== undefined)) this.#repeat(id, call);
      return;
    }
    // The client may have taken the call back meanwhile.
    if (!isAnswerToQuestion(message)) this.#ends.toServer([message.bytes]);
  }

  #repeat(id: string, call: Call): void {
    const questions = [...call.questions.values()];
    call.emptyRounds = isFruitful(questions) ? 0 : call.emptyRounds + 1;
    if (call.emptyRounds > MAX_ROUNDS) {
      this.#giveUp(id);
      return;
    }
    call.questions = new Map();
    const { request, state, rounds } = call;
    const edits = [
      ...request.set(['params', 'inputResponses'], responsesTo(questions)),
      ...(state === undefined ? [] : request.set(['params', 'requestState'], state)),
    ];
    const repeated = RawMessage.read(Buffer.concat([...request.edited(edits)]));
    if (repeated === undefined) return;
    const round = roundId(id, rounds);
    this.#rounds.set(round, id);
    this.#send(repeated, round);
  }

  #send(request: RawMessage, id: string): void {
    const { request: initialize } = this.#initialize ?? {};
    const envelope = {
      capabilities: initialize?.raw('params', 'capabilities') ?? '{}',
      info: initialize?.raw('params', 'clientInfo') ?? '{"name":"unknown","version":"0"}',
      logLevel: this.#logLevel,
    };
    this.#ends.toServer(request.edited([...request.set(['id'], id), ...enveloped(request, envelope)]));
  }
}
