import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { EraBridge } from '../../src/inner/era-bridge.js';
import { InnerEra } from '../../src/inner/inner-era.js';
import { RawMessage } from '../../src/wire/raw-message.js';

const INITIALIZE = RawMessage.from({
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
});
/** Far below what a silent server gets, and far above what a lively one needs. */
const SOON_MS = 1000;

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
