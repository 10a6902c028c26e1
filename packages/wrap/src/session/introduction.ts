import { isObject, within } from '@rootward/core/platform';
import { RootwardWrapError } from '../error.js';
import type { Instance } from '../inner/instance.js';
import type { Declaration } from '../roots/call-roots.js';
import { RawMessage } from '../wire/raw-message.js';

/** What a server tells about itself whatever the roots are; never kept waiting for them. */
export const INTRODUCTORY: ReadonlySet<string> = new Set([
  'ping',
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'logging/setLevel',
]);
/**
 * What the protocol has as requests only. Without an id, a server that looks at the method alone would serve it, past
 * everything that refuses requests.
 */
export const REQUESTS_ONLY: RegExp =
  /^(?:initialize|ping)$|^(?:completion|logging|prompts|resources|server|subscriptions|tasks|tools)\//;
/** A server that has not answered by then speaks another language. Package runners may have to download it first. */
const INTRODUCTION_MS = 120_000;
const ROOTS_CAPABILITY = '{"listChanged":true}';
const INITIALIZED = RawMessage.from({ method: 'notifications/initialized' });

/** What the client said that a server has to be told again when it is started again. */
export class Introduction {
  readonly #initialize: RawMessage;
  readonly #answers = new WeakMap<Instance, RawMessage>();
  readonly #subscriptions = new Map<string, RawMessage>();
  #initialized: RawMessage | undefined;
  #logLevel: RawMessage | undefined;

  /** `initialize` is the request of the client; the server sees it with roots declared. */
  constructor(initialize: RawMessage) {
    this.#initialize = withRoots(initialize);
  }

  /** What the server answered to `initialize`. */
  answerOf(instance: Instance): RawMessage | undefined {
    return this.#answers.get(instance);
  }

  /** `notifications/initialized` came from the client. */
  finish(message: RawMessage): void {
    this.#initialized = message;
  }

  /** A request succeeded; if it leaves a trace in the server, it is kept. */
  note(request: RawMessage): void {
    switch (request.method ?? '') {
      case 'logging/setLevel':
        this.#logLevel = request;
        return;
      case 'resources/subscribe':
        this.#subscriptions.set(request.raw('params', 'uri') ?? '', request);
        return;
      case 'resources/unsubscribe':
        this.#subscriptions.delete(request.raw('params', 'uri') ?? '');
        return;
      default:
    }
  }

  /** Introduces the client to a server that has just been started. Rejects where it does not answer as a server does. */
  async perform(instance: Instance): Promise<void> {
    const answer = await this.#introduce(instance);
    this.#answers.set(instance, answer);
    if (answer.isError) {
      const reason: unknown = answer.value('error', 'message');
      throw new RootwardWrapError('refused', `the server refused to be introduced: ${String(reason)}`);
    }
    if (this.#initialized === undefined && instance.provisional) return;
    // The client says so itself where this server is its first.
    if (this.#initialized !== undefined) instance.initialized(this.#initialized);
    for (const request of [this.#logLevel, ...this.#subscriptions.values()]) {
      if (request !== undefined) await instance.askRaw(request);
    }
  }

  /** For a client that has no such notification of its own. */
  static readonly initialized: RawMessage = INITIALIZED;

  async #introduce(instance: Instance): Promise<RawMessage> {
    const asking = instance.askRaw(this.#initialize);
    if (await within(asking, { milliseconds: INTRODUCTION_MS })) return asking;
    const words =
      instance.lastWords.length === 0 ? '' : `; its last words: ${instance.lastWords.join(' | ')}`;
    throw new RootwardWrapError(
      'no-answer',
      `the server did not answer "initialize" within ${String(INTRODUCTION_MS / 1000)} s; is it an MCP server?${words}`,
    );
  }
}

/** Rejects where the client has not introduced itself, too. */
export async function introduceTo(instance: Instance, introduction: Introduction | undefined): Promise<void> {
  if (introduction === undefined)
    throw new RootwardWrapError('closed', 'the client has not introduced itself');
  await introduction.perform(instance);
}

/** What `initialize` says about roots. */
export function declarationOf(initialize: RawMessage): Declaration {
  const roots: unknown = initialize.value('params', 'capabilities', 'roots');
  const info: unknown = initialize.value('params', 'clientInfo');
  const { name, version } = isObject(info) ? info : {};
  return {
    roots: isObject(roots),
    listChanged: isObject(roots) && roots['listChanged'] === true,
    clientInfo:
      typeof name === 'string' ? { name, ...(typeof version === 'string' && { version }) } : undefined,
  };
}

function withRoots(initialize: RawMessage): RawMessage {
  const edits =
    initialize.span('params', 'capabilities') === undefined
      ? initialize.set(['params', 'capabilities'], `{"roots":${ROOTS_CAPABILITY}}`)
      : initialize.set(['params', 'capabilities', 'roots'], ROOTS_CAPABILITY);
  return RawMessage.read(Buffer.concat([...initialize.edited(edits)])) ?? initialize;
}
