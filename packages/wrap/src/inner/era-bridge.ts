import { isObject } from '@rootward/core/platform';
import { enveloped, MODERN_REVISION, SERVER_INFO_KEY } from '../wire/envelope.js';
import { RawMessage } from '../wire/raw-message.js';

/** A request of ours that is to be answered in several rounds. */
interface Call {
  readonly request: RawMessage;
  rounds: number;
  /** What the server wants to know: the id of each question, and the answer once it is there. */
  questions: Map<string, { readonly key: string; answer: RawMessage | undefined }>;
  /** What the server wants back, as written. */
  state: string | undefined;
}

const DISCOVER = '"rootward-discover"';
const CHANGES: readonly (readonly [capability: string, member: string])[] = [
  ['tools', 'toolsListChanged'],
  ['prompts', 'promptsListChanged'],
  ['resources', 'resourcesListChanged'],
];

/**
 * Lets a server that only speaks the modern era be spoken to in the legacy one. Does nothing for others. What such a
 * server wants to know in the middle of a call is asked as a server of the legacy era would, and the call is repeated with
 * the answers.
 */
export class EraBridge {
  readonly #toServer: (pieces: readonly Buffer[]) => void;
  readonly #toUs: (message: RawMessage) => void;
  readonly #calls = new Map<string, Call>();
  readonly #uris = new Set<string>();
  /** By the id of a round: the id of its call. */
  readonly #rounds = new Map<string, string>();
  #initialize: { readonly id: string; readonly request: RawMessage } | undefined;
  #refusal: RawMessage | undefined;
  #discovery: Readonly<Record<string, unknown>> | undefined;
  #logLevel: string | undefined;
  #listening = 0;

  constructor(toServer: (pieces: readonly Buffer[]) => void, toUs: (message: RawMessage) => void) {
    this.#toServer = toServer;
    this.#toUs = toUs;
  }

  /** Whether the server speaks the modern era only. */
  get isModern(): boolean {
    return this.#discovery !== undefined;
  }

  /** Something for the server. */
  send(pieces: readonly Buffer[]): void {
    if (this.#discovery === undefined) {
      this.#toServer(pieces);
      return;
    }
    const message = RawMessage.read(Buffer.concat([...pieces]));
    if (message?.kind === 'request') this.#request(message, message.id ?? '');
    else if (message?.kind === 'answer') this.#answered(message);
    else if (message !== undefined) this.#notify(message);
  }

  /** The introduction is about to be sent. */
  introduce(id: string, request: RawMessage): void {
    this.#initialize = { id, request };
  }

  /** A message of the server. */
  receive(message: RawMessage): void {
    const { id = '' } = message;
    if (this.#discovery !== undefined) this.#fromModern(message, id);
    else if (message.kind !== 'answer') this.#toUs(message);
    else if (id === DISCOVER) this.#discovered(message);
    else if (id === this.#initialize?.id && message.isError) {
      this.#refusal = message;
      this.#send(RawMessage.from({ id: 0, method: 'server/discover' }), DISCOVER);
    } else this.#toUs(message);
  }

  #discovered(message: RawMessage): void {
    const { id = '', request } = this.#initialize ?? {};
    const result: unknown = message.isError ? undefined : message.value('result');
    const versions = isObject(result) ? result['supportedVersions'] : undefined;
    if (!isObject(result) || !Array.isArray(versions) || !versions.includes(MODERN_REVISION)) {
      if (this.#refusal !== undefined) this.#toUs(this.#refusal);
      return;
    }
    this.#discovery = result;
    const { capabilities = {}, instructions, _meta: meta } = result;
    const serverInfo = (isObject(meta) ? meta[SERVER_INFO_KEY] : undefined) ?? {
      name: 'unknown',
      version: '0',
    };
    const protocolVersion = request?.value('params', 'protocolVersion');
    const answer = {
      protocolVersion,
      capabilities,
      serverInfo,
      ...(instructions !== undefined && { instructions }),
    };
    this.#toUs(RawMessage.from({ id: Number(id), result: answer }));
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
        this.#calls.set(id, { request: message, rounds: 0, questions: new Map(), state: undefined });
        this.#send(message, id);
        return;
    }
    // Not before whoever asks has noted that it did.
    queueMicrotask(() => this.#toUs(RawMessage.from({ id: Number(id), result: {} })));
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
        this.#calls.delete(id);
        this.#toServer(message.edited(message.set(['params', 'requestId'], roundId(id, rounds))));
        return;
      }
      default:
        this.#toServer([message.bytes]);
    }
  }

  /** What changes is told to whoever listens; a new filter takes the place of the old one. */
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
      this.#toServer([RawMessage.from({ method: 'notifications/cancelled', params }).bytes]);
    }
    if (Object.keys(notifications).length === 0) return;
    this.#listening += 1;
    const request = RawMessage.from({ id: 0, method: 'subscriptions/listen', params: { notifications } });
    this.#send(request, `"listen-${String(this.#listening)}"`);
  }

  #fromModern(message: RawMessage, id: string): void {
    if (message.kind !== 'answer') {
      if (message.method !== 'notifications/subscriptions/acknowledged') this.#toUs(message);
      return;
    }
    const callId = this.#rounds.get(id) ?? id;
    this.#rounds.delete(id);
    const call = this.#calls.get(callId);
    if (call === undefined) return;
    if (message.value('result', 'resultType') === 'input_required') {
      this.#ask(message, callId, call);
      return;
    }
    this.#calls.delete(callId);
    const answer = RawMessage.read(Buffer.concat([...message.withId(callId)]));
    if (answer !== undefined) this.#toUs(answer);
  }

  #ask(message: RawMessage, id: string, call: Call): void {
    const wanted: unknown = message.value('result', 'inputRequests');
    call.state = message.raw('result', 'requestState');
    call.rounds += 1;
    const keys = isObject(wanted) ? Object.keys(wanted) : [];
    const asked = keys.map((key, index) => {
      const questionId = `"round-${id}-${String(call.rounds)}-${String(index)}"`;
      const text = message.raw('result', 'inputRequests', key) ?? '{}';
      const question = RawMessage.read(
        Buffer.from(`{"jsonrpc":"2.0","id":${questionId},${text.trim().slice(1)}`),
      );
      return { key, questionId, question };
    });
    call.questions = new Map(asked.map(({ key, questionId }) => [questionId, { key, answer: undefined }]));
    if (asked.length === 0) this.#repeat(id, call);
    for (const { question } of asked) if (question !== undefined) this.#toUs(question);
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
    this.#toServer([message.bytes]);
  }

  #repeat(id: string, call: Call): void {
    // What was refused is left out: the server sees that nobody answered.
    const responses = [...call.questions.values()].flatMap(({ key, answer }) => {
      const result = answer?.raw('result');
      return result === undefined ? [] : [`${JSON.stringify(key)}:${result}`];
    });
    call.questions = new Map();
    const { request, state, rounds } = call;
    const edits = [
      ...request.set(['params', 'inputResponses'], `{${responses.join(',')}}`),
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
    this.#toServer(request.edited([...request.set(['id'], id), ...enveloped(request, envelope)]));
  }
}

function roundId(id: string, rounds: number): string {
  return rounds === 0 ? id : `"${id}-${String(rounds)}"`;
}
