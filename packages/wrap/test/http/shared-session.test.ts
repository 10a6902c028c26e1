import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileUri } from '@rootward/core';
import { PreparedWorkspace } from '@rootward/mcp/host';
import { expect, test } from 'vitest';
import { eventually } from '../../../../testing/eventually.js';
import type { SharedServer } from '../../src/http/shared-server.js';
import type { SharedServers } from '../../src/http/shared-servers.js';
import { SharedSession } from '../../src/http/shared-session.js';
import { RawMessage } from '../../src/wire/raw-message.js';

const quiet = (): void => undefined;
const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };

test('SharedSession takes a call back at once while the next one waits for the roots', async () => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'rootward-shared-')));
  const prepared = new PreparedWorkspace({ environment: {}, home, hints: false, within: [home] });
  const asked: RawMessage[] = [];
  const requested: unknown[] = [];
  const cancelled: unknown[] = [];
  const stub = {
    introduction: Promise.resolve(RawMessage.from({ id: 0, result: {} })),
    request: (message: RawMessage) => void requested.push(message.id),
    cancel: (message: RawMessage) => void cancelled.push(message.raw('params', 'requestId')),
    join: quiet,
    leave: quiet,
    giveUp: quiet,
    isEnded: false,
  };
  const server: Partial<SharedServer> = stub;
  const servers: Partial<SharedServers> = { for: () => server as SharedServer };
  const client = {
    send: (pieces: readonly Buffer[]) => {
      const message = RawMessage.read(Buffer.concat([...pieces]));
      if (message?.method === 'roots/list') asked.push(message);
    },
  };
  const session = new SharedSession(client, 'someone', servers as SharedServers, { prepared, log });
  const receive = (message: object): void => session.receive(RawMessage.from(message));
  const capabilities = { roots: { listChanged: true } };
  receive({ id: 0, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities } });
  receive({ method: 'notifications/initialized' });
  await eventually(() => expect(asked).toHaveLength(1));
  receive({ id: asked[0]?.value('id'), result: { roots: [{ uri: pathToFileUri(home) }] } });
  receive({ id: 1, method: 'tools/call', params: { name: 'slow' } });
  await eventually(() => expect(requested).toEqual(['1']));
  receive({ method: 'notifications/roots/list_changed' });
  await eventually(() => expect(asked).toHaveLength(2));
  receive({ id: 2, method: 'tools/call', params: { name: 'later' } });
  receive({ method: 'notifications/cancelled', params: { requestId: 1 } });
  expect(cancelled).toEqual(['1']);
  expect(requested).toEqual(['1']);
  await session.close();
});
