import { tmpdir } from 'node:os';
import { silentLogger } from '@rootward/core/platform';
import { PreparedWorkspace } from '@rootward/mcp/host';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Exchange } from '../../src/http/exchange.js';
import { LegacyClient } from '../../src/http/legacy-client.js';
import type { SharedServers } from '../../src/http/shared-servers.js';
import type { SessionOptions } from '../../src/session/session-options.js';
import { RawMessage } from '../../src/wire/raw-message.js';

/** A response that is open until `close()`. */
function openExchange(): {
  readonly exchange: Exchange;
  readonly close: () => void;
  readonly told: readonly RawMessage[];
} {
  let closed: (() => void) | undefined;
  const told: RawMessage[] = [];
  const exchange: Partial<Exchange> = {
    isOpen: true,
    onClose: (listener) => (closed = listener),
    answer: () => undefined,
    event: (bytes) => void told.push(RawMessage.read(bytes)!),
    end: () => undefined,
  };
  return { exchange: exchange as Exchange, close: () => closed?.(), told };
}

function openClient(): LegacyClient {
  const prepared = new PreparedWorkspace({ environment: {}, home: tmpdir(), hints: false });
  const options: Pick<SessionOptions, 'prepared' | 'log'> = { prepared, log: silentLogger };
  const servers: Partial<SharedServers> = {};
  const client = new LegacyClient('someone', options as SessionOptions, servers as SharedServers);
  onTestFinished(() => client.close());
  return client;
}

test.each([
  ['100 messages', 150, 10, [51, 150]],
  ['1 MiB of them', 10, 300_000, [8, 10]],
])('LegacyClient keeps at most %s for whoever listens later', (_, count, size, [first, last]) => {
  const client = openClient();
  for (let number = 1; number <= count; number++) {
    const params = { number, data: 'x'.repeat(size) };
    client.send([RawMessage.from({ method: 'notifications/message', params }).bytes]);
  }
  const { exchange, told } = openExchange();
  client.listen(exchange);
  const numbers = told.map((message) => message.value('params', 'number'));
  expect([numbers[0], numbers.at(-1)]).toEqual([first, last]);
});

test.each([
  [
    'request',
    (client: LegacyClient, exchange: Exchange) =>
      client.receive([RawMessage.from({ id: 1, method: 'tools/call', params: {} })], exchange),
  ],
  ['stream that listens', (client: LegacyClient, exchange: Exchange) => client.listen(exchange)],
])('LegacyClient is idle from the end of its last %s on', (_, begin) => {
  vi.useFakeTimers({ toFake: ['Date'], now: 1000 });
  onTestFinished(() => void vi.useRealTimers());
  const client = openClient();
  const { exchange, close } = openExchange();
  vi.setSystemTime(2000);
  begin(client, exchange);
  vi.setSystemTime(60_000);
  close();
  expect(client.usedAt).toBe(60_000);
});
