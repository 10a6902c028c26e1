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
function openExchange(): { readonly exchange: Exchange; readonly close: () => void } {
  let closed: (() => void) | undefined;
  const exchange: Partial<Exchange> = {
    isOpen: true,
    onClose: (listener) => (closed = listener),
    answer: () => undefined,
    event: () => undefined,
    end: () => undefined,
  };
  return { exchange: exchange as Exchange, close: () => closed?.() };
}

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
  const prepared = new PreparedWorkspace({ environment: {}, home: tmpdir(), hints: false });
  const options: Pick<SessionOptions, 'prepared' | 'log'> = { prepared, log: silentLogger };
  const servers: Partial<SharedServers> = {};
  const client = new LegacyClient('someone', options as SessionOptions, servers as SharedServers);
  onTestFinished(() => client.close());
  const { exchange, close } = openExchange();
  vi.setSystemTime(2000);
  begin(client, exchange);
  vi.setSystemTime(60_000);
  close();
  expect(client.usedAt).toBe(60_000);
});
