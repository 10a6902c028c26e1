import type { AuthInfo } from '@modelcontextprotocol/server';
import { expect, onTestFinished, test } from 'vitest';
import { MemoryStore, Revocations } from '../../../src/index.js';
import { createInstance, whenWaiting } from '../../fixtures/instances.js';

const REVISION = '2026-07-28';
const auth = (clientId: string): AuthInfo => ({ token: clientId, clientId, scopes: [] });

function modern(method: string, params: object, name?: string): Request {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': REVISION,
    'io.modelcontextprotocol/clientInfo': { name: 't', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  return new Request('http://localhost/mcp', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': REVISION,
      'mcp-method': method,
      ...(name !== undefined && { 'mcp-name': name }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } }),
  });
}

test('what a modern client has open ends when its principal is revoked, and that of others goes on', async () => {
  const store = new MemoryStore();
  const revocations = new Revocations(store);
  const handler = createInstance(store, '/', { revocations });
  onTestFinished(async () => {
    await handler.close();
    revocations.dispose();
  });
  const listen = async (clientId: string): Promise<ReadableStreamDefaultReader<Uint8Array>> => {
    const request = modern('subscriptions/listen', { notifications: { toolsListChanged: true } });
    const response = await handler.fetch(request, { authInfo: auth(clientId) });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const reader = response.body!.getReader();
    expect(new TextDecoder().decode((await reader.read()).value)).toContain('acknowledged');
    return reader;
  };
  const [thief, owner] = [await listen('thief'), await listen('owner')];
  const call = handler.fetch(modern('tools/call', { name: 'wait', arguments: { name: 'call' } }, 'wait'), {
    authInfo: auth('thief'),
  });
  await whenWaiting('call');
  await revocations.revoke('principal', 'thief');
  expect((await thief.read()).done).toBe(true);
  const answer = await call;
  expect(await answer.text()).not.toContain('"content"');
  handler.notify.toolsChanged();
  const { value } = await owner.read();
  expect(new TextDecoder().decode(value)).toContain('list_changed');
  await owner.cancel();
});
