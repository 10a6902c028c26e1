import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { createWorkspaceHandler } from '../src/index.js';
import { listen } from './fixtures/http-server.js';
import { createFactory } from './fixtures/matrix-server.mjs';
import { CLIENTS, connectSdkClient, type ClientKind, type SdkClient } from './fixtures/sdk-client.js';
import { makeFolders } from '../../../testing/temporary-folders.js';

const TRANSPORTS = ['stdio', 'HTTP'] as const;
const SERVER = fileURLToPath(new URL('fixtures/matrix-server.mjs', import.meta.url));
const roots = makeFolders('a', 'b', 'operator');
const A = { uri: roots.uri('a') };
const B = { uri: roots.uri('b') };
const BAD = { uri: 'file:///does/not/exist' };

type Answer = Promise<{ roots: { uri: string }[] }>;

/** What a client says when it is asked, and how often it was. A test may change its mind. */
class Script {
  asked = 0;
  declares = true;
  answer: () => Answer;
  readonly #firstTime = new AbortController();

  constructor(answer: () => Answer) {
    this.answer = answer;
  }

  readonly reply = (): Answer => {
    this.asked += 1;
    this.#firstTime.abort();
    return this.answer();
  };

  async wasAsked(): Promise<void> {
    const { signal } = this.#firstTime;
    if (!signal.aborted) await once(signal, 'abort');
  }
}

const NEVER = new Promise<never>(() => undefined);
const answering = (...list: { uri: string }[]): Script => new Script(() => Promise.resolve({ roots: list }));
const look = async (client: SdkClient): Promise<unknown> => (await client.call('roots'))['structuredContent'];
const lookTwice = async (client: SdkClient): Promise<unknown> => [await look(client), await look(client)];
/** Over HTTP, what a client sends and its next call are two requests, either of which may arrive first. */
async function lookUntilNot(client: SdkClient, old: unknown): Promise<unknown> {
  let seen = await look(client);
  while (JSON.stringify(seen) === JSON.stringify(old)) seen = await look(client);
  return seen;
}

const fromClient = (name: string, ...rejected: string[]) => ({
  roots: [`client ${name}`],
  rejected,
  client: 'answered',
});
const fromOperator = (client: string) => ({ roots: ['flag operator'], rejected: [], client });
const twice = (seen: unknown) => [seen, seen];

/** Long enough for an answer on a busy machine … */
const PATIENT = 60_000;
/** … and short, where no answer is to come in time. */
const BRIEF = 300;

interface Behaviour {
  readonly name: string;
  /** How long a call waits for an answer. */
  readonly readyTimeout: number;
  readonly script: () => Script;
  /** Drives the client; returns what its calls saw. */
  readonly act: (client: SdkClient, script: Script) => Promise<unknown>;
  /** What is seen, and how often the client is asked for it. */
  readonly legacy: { readonly seen: unknown; readonly asked: number };
  readonly modern: { readonly seen: unknown; readonly asked: number };
}

const BEHAVIOURS: readonly Behaviour[] = [
  {
    name: 'declares roots',
    readyTimeout: PATIENT,
    script: () => answering(A),
    act: lookTwice,
    legacy: { seen: twice(fromClient('a')), asked: 1 },
    modern: { seen: twice(fromClient('a')), asked: 2 },
  },
  {
    name: 'does not declare roots',
    readyTimeout: PATIENT,
    script: () => Object.assign(answering(A), { declares: false }),
    act: lookTwice,
    legacy: { seen: twice(fromOperator('unsupported')), asked: 0 },
    modern: { seen: twice(fromOperator('unsupported')), asked: 0 },
  },
  {
    name: 'declares roots but is silent',
    readyTimeout: BRIEF,
    script: () => new Script(() => NEVER),
    act: async (client, script) => {
      const calls = lookTwice(client);
      calls.catch(() => undefined);
      await script.wasAsked();
      await client.call('plain');
      // Nothing is pending at the server then: the client has been answered, and has not come back.
      return client.era === 'legacy' ? calls : Promise.race([calls, Promise.resolve('nothing yet')]);
    },
    legacy: { seen: twice(fromOperator('silent')), asked: 1 },
    modern: { seen: 'nothing yet', asked: 1 },
  },
  {
    name: 'declares roots but refuses',
    readyTimeout: PATIENT,
    script: () => new Script(() => Promise.reject(new Error('not today'))),
    // On modern it is the client itself that gives its call up.
    act: (client) => lookTwice(client).catch(() => 'given up'),
    legacy: { seen: twice(fromOperator('refused')), asked: 1 },
    modern: { seen: 'given up', asked: 1 },
  },
  {
    name: 'answers with no roots',
    readyTimeout: PATIENT,
    script: () => answering(),
    act: lookTwice,
    legacy: { seen: twice(fromOperator('empty')), asked: 1 },
    modern: { seen: twice(fromOperator('empty')), asked: 2 },
  },
  {
    name: 'answers with one bad root among good ones',
    readyTimeout: PATIENT,
    script: () => answering(BAD, A),
    act: lookTwice,
    legacy: { seen: twice(fromClient('a', 'not-found')), asked: 1 },
    modern: { seen: twice(fromClient('a', 'not-found')), asked: 2 },
  },
  {
    name: 'answers late',
    readyTimeout: BRIEF,
    script: () => new Script(() => NEVER),
    act: async (client, script) => {
      const late = new AbortController();
      script.answer = async () => {
        await once(late.signal, 'abort');
        return { roots: [A] };
      };
      const first = look(client);
      await script.wasAsked();
      if (client.era === 'legacy') await first;
      late.abort();
      const before = await first;
      return [before, client.era === 'legacy' ? await lookUntilNot(client, before) : undefined];
    },
    legacy: { seen: [fromOperator('silent'), fromClient('a')], asked: 1 },
    modern: { seen: [fromClient('a'), undefined], asked: 1 },
  },
  {
    name: 'changes its roots during a call',
    readyTimeout: PATIENT,
    script: () => answering(A),
    act: async (client, script) => {
      const slow = client.call('slow');
      await client.call('when-slow');
      script.answer = () => Promise.resolve({ roots: [B] });
      await client.rootsChanged();
      const next = await lookUntilNot(client, fromClient('a'));
      await client.call('go-on');
      return [next, (await slow)['structuredContent']];
    },
    legacy: { seen: [fromClient('b'), { ...fromClient('a'), before: fromClient('a') }], asked: 2 },
    modern: { seen: [fromClient('b'), { ...fromClient('a'), before: fromClient('a') }], asked: 2 },
  },
];

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

async function connect(
  kind: ClientKind,
  transport: (typeof TRANSPORTS)[number],
  script: Script,
  readyTimeout: number,
): Promise<SdkClient> {
  const operator = roots.path('operator');
  const place =
    transport === 'stdio'
      ? { args: [SERVER, '--stdio', operator, String(readyTimeout)] }
      : await listen(createWorkspaceHandler(createFactory(operator, readyTimeout)));
  if ('close' in place) open.push(place);
  const client = await connectSdkClient(kind, place, { roots: script.declares ? script.reply : undefined });
  open.push(client);
  return client;
}

const ERAS = { v1: 'legacy', 'v2 legacy': 'legacy', 'v2 auto': 'modern', 'v2 pinned': 'modern' } as const;

describe.each(TRANSPORTS)('over %s', (transport) => {
  describe.each(CLIENTS)('a %s client', (kind) => {
    test.each(BEHAVIOURS)('that $name', async ({ script: makeScript, act, readyTimeout, ...expected }) => {
      const script = makeScript();
      const client = await connect(kind, transport, script, readyTimeout);
      expect(client.era).toBe(ERAS[kind]);
      const seen = await act(client, script);
      await client.call('plain');
      expect({ seen, asked: script.asked }).toEqual(expected[client.era]);
    });
  });
});
