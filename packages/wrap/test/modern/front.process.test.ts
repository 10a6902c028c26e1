import { tmpdir } from 'node:os';
import type { Snapshot } from '@rootward/core';
import { Deferred } from '@rootward/core/platform';
import { PreparedWorkspace } from '@rootward/mcp/host';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ModernFront } from '../../src/modern/front.js';
import { FixedRoots } from '../../src/roots/fixed-roots.js';
import type { Outer } from '../../src/session/outer.js';
import { RawMessage } from '../../src/wire/raw-message.js';
import { serverScript } from '../fixtures/server-script.js';
import { wrapScript } from '../fixtures/wrap-script.js';

/** Puts a form to the client in its one call, and says what it hears of it; knows no revision but older ones. */
const ASKING = serverScript(`
  serve((message) => {
    const { id, method, params, error } = message;
    if (method === 'initialize') introduce(message, { tools: {} });
    else if (method === 'tools/call') send({ id: 'form', method: 'elicitation/create', params: { message: 'Really?' } });
    else if (method === 'notifications/cancelled') send({ method: 'x/heard', params: { reason: params.reason } });
    else if (id === 'form') send({ method: 'x/heard', params: { refused: error !== undefined } });
    else if (id !== undefined) refuse(id);
  });`);

/** Puts a form to the client in its one call, and then tells progress and the result. */
const PROGRESSING = serverScript(`
  let call;
  serve((message) => {
    const { id, method, params } = message;
    const progress = (progress) => send({ method: 'notifications/progress', params: { progressToken: call.token, progress } });
    if (method === 'initialize') introduce(message, { tools: {} });
    else if (method === 'tools/call') {
      call = { id, token: params._meta.progressToken };
      progress(1);
      send({ id: 'form', method: 'elicitation/create', params: { message: 'Really?' } });
      progress(2);
    } else if (id === 'form') {
      progress(3);
      send({ id: call.id, result: { content: [] } });
    } else if (id !== undefined) refuse(id);
  });`);

const TEN_MINUTES = 600_000;

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

function call(id: number, round: object = {}, progressToken?: number | string): RawMessage {
  const meta = {
    ...(progressToken !== undefined && { progressToken }),
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
  };
  return RawMessage.from({ id, method: 'tools/call', params: { name: 'ask', _meta: meta, ...round } });
}

/** In a folder that is known. */
function open(script: string, send: Outer['send']): ModernFront {
  const root = { path: tmpdir(), kind: 'directory', access: 'write', source: 'flag', name: 'tmp' };
  return new ModernFront(
    { send },
    {
      ...wrapScript(script),
      prepared: new PreparedWorkspace({ environment: {} }),
      transport: 'local',
      era: 'modern',
      roots: new FixedRoots({ roots: [root] } as unknown as Snapshot),
    },
  );
}

test('ModernFront ends a call whose client never comes back with the answer to a question', async () => {
  const asked = new Deferred<string>();
  const refused = new Deferred<string>();
  const heard = new Deferred<unknown>();
  const front = open(ASKING, (pieces) => {
    const message = RawMessage.read(Buffer.concat([...pieces]));
    const state: unknown = message?.id === '1' ? message.value('result', 'requestState') : undefined;
    if (typeof state === 'string') asked.resolve(state);
    if (message?.id === '2') refused.resolve(String(message.value('error', 'message')));
    if (message?.method === 'x/heard' && message.span('params', 'refused') !== undefined)
      heard.resolve(message.value('params'));
  });
  front.receive(call(1));
  const requestState = await asked.promise;
  await vi.advanceTimersByTimeAsync(TEN_MINUTES - 1000);
  expect(front.session.busy).toBe(true);
  await vi.advanceTimersByTimeAsync(1000);
  expect(front.session.busy).toBe(false);
  expect(await heard.promise).toEqual({ refused: true });
  front.receive(call(2, { requestState, inputResponses: {} }));
  expect(await refused.promise).toContain('its state is not known here any more');
  await front.session.close();
});

test('ModernFront tells progress under the token of the round that the client waits in', async () => {
  const asked = new Deferred<string>();
  const answered = new Deferred();
  const told: unknown[] = [];
  const front = open(PROGRESSING, (pieces, related) => {
    const message = RawMessage.read(Buffer.concat([...pieces]));
    if (message?.method === 'notifications/progress') told.push([message.value('params'), related]);
    const state: unknown = message?.value('result', 'requestState');
    if (typeof state === 'string') asked.resolve(state);
    if (message?.id === '2') answered.resolve();
  });
  front.receive(call(1, {}, 'first'));
  const requestState = await asked.promise;
  front.receive(call(2, { requestState, inputResponses: { 'question-1': { action: 'accept' } } }, 7));
  await answered.promise;
  // Between the rounds nobody waits for it.
  expect(told.filter((each) => !JSON.stringify(each).includes('"progress":2'))).toEqual([
    [{ progressToken: 'first', progress: 1 }, '1'],
    [{ progressToken: 7, progress: 3 }, '2'],
  ]);
  await front.session.close();
});
