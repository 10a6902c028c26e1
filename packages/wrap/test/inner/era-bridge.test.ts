import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { eventually } from '../../../../testing/eventually.js';
import { EraBridge } from '../../src/inner/era-bridge.js';
import { InnerEra } from '../../src/inner/era-bridge.js';
import { RawMessage } from '../../src/wire/raw-message.js';

const INITIALIZE = RawMessage.from({
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
});
/** Far below what a silent server gets, and far above what a lively one needs. */
const SOON_MS = 1000;

/** A server of the modern era that answers calls with `respond`, and how often it was called. */
function modernServer(respond: () => object): {
  bridge: EraBridge;
  told: RawMessage[];
  heard: RawMessage[];
} {
  const told: RawMessage[] = [];
  const heard: RawMessage[] = [];
  const bridge = new EraBridge(
    {
      toServer: (pieces) => {
        const message = RawMessage.read(Buffer.concat([...pieces]));
        if (message !== undefined) heard.push(message);
        const discovery = { supportedVersions: ['2026-07-28'], capabilities: {} };
        const result = message?.method === 'server/discover' ? discovery : respond();
        const answer = RawMessage.from({ id: 0, result }).withId(message?.id ?? 'null');
        if (message?.kind !== 'request' || message.method === 'ping') return;
        setImmediate(() => bridge.receive(RawMessage.read(Buffer.concat([...answer])) ?? INITIALIZE));
      },
      toUs: (message) => {
        told.push(message);
        if (message.method !== 'roots/list') return;
        bridge.send(RawMessage.from({ id: 0, result: { roots: [] } }).withId(message.id ?? 'null'));
      },
      roots: () => '{"roots":[]}',
    },
    new InnerEra('modern'),
  );
  bridge.introduce('1', INITIALIZE);
  return { bridge, told, heard };
}

const CALL = RawMessage.from({ id: 7, method: 'tools/call', params: { name: 'x' } });
const asking = (inputRequests: object): object => ({ resultType: 'input_required', inputRequests });

describe('EraBridge.send()', () => {
  test.each([
    ['roots', { roots: { method: 'roots/list' } }],
    ['nothing', {}],
    ['what is not a request', { form: 5 }],
  ])('gives a call up whose server asks for %s in every round', async (_, wanted) => {
    const { bridge, told } = modernServer(() => asking(wanted));
    await eventually(() => expect(told).toHaveLength(1));
    bridge.send([CALL.bytes]);
    await eventually(() => expect(told.at(-1)).toMatchObject({ id: '7', isError: true }));
    expect(told.at(-1)?.value('error', 'message')).toContain('16 times in a row');
  });

  test('goes on with a call for as long as its client answers', async () => {
    let rounds = 0;
    const form = { form: { method: 'elicitation/create', params: {} } };
    const { bridge, told } = modernServer(() => (++rounds > 20 ? { content: [] } : asking(form)));
    await eventually(() => expect(told).toHaveLength(1));
    bridge.send([CALL.bytes]);
    for (let round = 1; round <= 20; round++) {
      await eventually(() => expect(told).toHaveLength(round + 1));
      const id = told.at(-1)?.id ?? 'null';
      bridge.send(RawMessage.from({ id: 0, result: { action: 'accept' } }).withId(id));
    }
    await eventually(() => expect(told.at(-1)).toMatchObject({ id: '7', isError: false }));
  });

  test('does not tell the server what its client answers to a call that was taken back', async () => {
    const form = { form: { method: 'elicitation/create', params: {} } };
    const { bridge, told, heard } = modernServer(() => asking(form));
    await eventually(() => expect(told).toHaveLength(1));
    bridge.send([CALL.bytes]);
    await eventually(() => expect(told).toHaveLength(2));
    const params = { requestId: 7 };
    bridge.send([RawMessage.from({ method: 'notifications/cancelled', params }).bytes]);
    bridge.send(RawMessage.from({ id: 0, result: {} }).withId(told[1]?.id ?? 'null'));
    expect(heard.at(-1)?.method).toBe('notifications/cancelled');
  });
});

/** What a server hears that is asked in the modern era first, and ways to answer. */
function introduce(): {
  heard: () => readonly (string | undefined)[];
  answer: (method: string, body: object) => void;
  told: RawMessage[];
  era: InnerEra;
} {
  const sent: RawMessage[] = [];
  const told: RawMessage[] = [];
  const era = new InnerEra('modern');
  const bridge = new EraBridge(
    {
      toServer: (pieces) => {
        const message = RawMessage.read(Buffer.concat([...pieces]));
        if (message !== undefined) sent.push(message);
      },
      toUs: (message) => void told.push(message),
      roots: () => '{"roots":[]}',
    },
    era,
  );
  bridge.introduce('1', INITIALIZE);
  return {
    heard: () => sent.map(({ method }) => method),
    answer: (method, body) => {
      const asked = sent.find((message) => message.method === method);
      const given = RawMessage.read(
        Buffer.concat([...RawMessage.from({ id: 0, ...body }).withId(asked?.id ?? 'null')]),
      );
      if (given !== undefined) bridge.receive(given);
    },
    told,
    era,
  };
}

describe('EraBridge.introduce()', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test('does not wait long for a server that says nothing to what it does not know', () => {
    const { heard, answer, told, era } = introduce();
    answer('ping', { result: {} });
    vi.advanceTimersByTime(SOON_MS);
    expect(heard()).toEqual(['server/discover', 'ping', 'initialize']);
    answer('initialize', { result: { capabilities: {} } });
    expect(told.map(({ id }) => id)).toEqual(['1']);
    expect(era.isModern).toBe(false);
  });

  test('waits for a server that has not answered anything yet: it may not have started', () => {
    const { heard, answer } = introduce();
    vi.advanceTimersByTime(SOON_MS);
    expect(heard()).not.toContain('initialize');
    answer('server/discover', { error: { code: -32_601, message: 'Method not found' } });
    expect(heard()).toContain('initialize');
  });

  test('takes a server for a modern one that answers out of order', () => {
    const { heard, answer, told, era } = introduce();
    answer('ping', { error: { code: -32_601, message: 'Method not found' } });
    answer('server/discover', { result: { supportedVersions: ['2026-07-28'], capabilities: {} } });
    vi.advanceTimersByTime(SOON_MS);
    expect(heard()).not.toContain('initialize');
    expect(told.map(({ id }) => id)).toEqual(['1']);
    expect(era.isModern).toBe(true);
  });
});
