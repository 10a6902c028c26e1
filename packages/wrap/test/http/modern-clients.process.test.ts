import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OperatorLimits, readSources } from '@rootward/core';
import { Deferred, silentLogger } from '@rootward/core/platform';
import { ChildRegistry, PreparedWorkspace } from '@rootward/mcp/host';
import { expect, test } from 'vitest';
import type { Exchange } from '../../src/http/exchange.js';
import { ModernClients } from '../../src/http/modern-clients.js';
import { ToolFilter } from '../../src/session/tool-filter.js';
import { RawMessage } from '../../src/wire/raw-message.js';

/** Says in a notification that it was asked for its tools, and never lists them. */
const SLOW_LIST = `
  const send = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = JSON.parse(line);
    const serverInfo = { name: 'slow', version: '1' };
    const capabilities = { tools: { listChanged: true } };
    if (method === 'initialize') send({ id, result: { protocolVersion: params.protocolVersion, capabilities, serverInfo } });
    else if (method === 'tools/list') send({ method: 'notifications/tools/list_changed' });
    else if (id !== undefined) send({ id, error: { code: -32601, message: 'not known' } });
  });`;

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** The response to one request. */
class Response implements Partial<Exchange> {
  readonly isOpen = true;
  readonly answered = new Deferred<string>();
  readonly ended = new Deferred();
  readonly events: string[] = [];
  readonly #onEvent: () => void;

  constructor(onEvent: () => void = () => undefined) {
    this.#onEvent = onEvent;
  }

  event(bytes: Buffer): void {
    this.events.push(bytes.toString());
    this.#onEvent();
  }

  answer(bytes: Buffer): void {
    this.answered.resolve(bytes.toString());
  }

  end(): void {
    this.ended.resolve();
  }

  onClose(): void {
    // This client stays.
  }
}

test('ModernClients leaves nobody waiting whose folder the operator takes away', async () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'rootward-modern-')));
  const limits = new OperatorLimits();
  const environment = {};
  const sources = {
    ...(await readSources({ environment, home: root, roots: [root], hints: false })),
    limits,
  };
  const clients = new ModernClients({
    prepared: new PreparedWorkspace({ environment, home: root, sources }),
    transport: 'http',
    template: { command: process.execPath, args: ['-e', SLOW_LIST], set: {}, environment: process.env },
    policy: 'auto',
    filter: new ToolFilter(),
    children: new ChildRegistry(),
    log: silentLogger,
    noise: () => undefined,
    emptyFolder: tmpdir,
    directory: tmpdir(),
  });
  const make = (method: string, params: object, response: Response): void => {
    const message = RawMessage.from({ id: 1, method, params: { ...params, _meta: META } });
    void clients.receive(message, response as Partial<Exchange> as Exchange, 'someone', {});
  };
  const listed = new Deferred();
  const listening = new Response(() => listening.events.length === 2 && listed.resolve());
  const calling = new Response();
  make('subscriptions/listen', { notifications: { toolsListChanged: true } }, listening);
  make('tools/call', { name: 'x', arguments: {} }, calling);
  await listed.promise;
  limits.set(root, 'revoked');
  await listening.ended.promise;
  expect(await calling.answered.promise).toContain('the operator took a folder away');
  clients.close();
});
