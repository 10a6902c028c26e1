import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { Result, ScriptedClient } from '@rootward/mcp/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { SERVERS, type Server } from './fixtures/servers.js';
import { INNER, jsonOf, makeFolder, PROGRAM, roots, textOf, uri, wrap } from './fixtures/wrapped.js';

const NODE = process.execPath;
const MODERN = { era: 'modern' } as const;
const QUICK = /everything|filesystem|Python/;
/** What the answer to a request has to have, for those that both eras know. */
const MEMBERS: Readonly<Record<string, string>> = {
  'tools/list': 'tools',
  'tools/call': 'content',
  'prompts/list': 'prompts',
  'prompts/get': 'messages',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
  'resources/read': 'contents',
  'completion/complete': 'completion',
};
const clients: Client[] = [];
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

/** The official client of SDK v2, on the modern revision only, with a user who says yes. */
async function official(
  { command, env: own }: Pick<Server, 'command' | 'env'>,
  folder: string,
): Promise<Client> {
  const client = new Client(
    { name: 'official', version: '1.0.0' },
    {
      capabilities: { roots: {}, elicitation: { form: {} }, sampling: {} },
      versionNegotiation: { mode: { pin: '2026-07-28' } },
    },
  );
  client.setRequestHandler('roots/list', () => ({ roots: [{ uri: uri(folder) }] }));
  client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { name: 'Ada' } }));
  client.setRequestHandler('sampling/createMessage', () => ({
    model: 'none',
    role: 'assistant',
    content: { type: 'text', text: 'sampled' },
  }));
  const { PATH = '' } = process.env;
  const env = { PATH, HOME: makeFolder('home'), PWD: folder, ...own?.(folder) };
  const args = [PROGRAM, 'wrap', '--', ...command];
  await client.connect(new StdioClientTransport({ command: NODE, args, env, cwd: folder, stderr: 'ignore' }));
  clients.push(client);
  return client;
}

describe('an official client of the modern era uses a server of the legacy one', () => {
  // The others differ in nothing that matters here, and are tried with the long tests.
  const tried =
    process.env['ROOTWARD_WRAP_KILLS'] === undefined
      ? SERVERS.filter(({ name }) => QUICK.test(name))
      : SERVERS;

  test.each(tried)('$name: everything it offers', async (server) => {
    const folder = makeFolder('work');
    writeFileSync(join(folder, 'a.txt'), 'one\n');
    const client = await official(server, folder);
    for (const { method, params = {} } of server.steps) {
      const member = MEMBERS[method];
      if (member === undefined || params['name'] === 'no-such-tool') continue;
      const filled = JSON.parse(JSON.stringify(params).replaceAll('{root}', folder)) as { name: string };
      expect(await client.request({ method: method as 'tools/call', params: filled })).toHaveProperty(member);
    }
  });

  test('with prompts, resources, completions, elicitation and sampling', async () => {
    const everything = SERVERS.find(({ name }) => name.endsWith('server-everything'))!;
    const client = await official(everything, makeFolder('work'));
    expect((await client.listPrompts()).prompts.length).toBeGreaterThan(0);
    expect((await client.getPrompt({ name: 'simple-prompt' })).messages).toHaveLength(1);
    const { resources } = await client.listResources();
    expect((await client.readResource({ uri: resources[0]!.uri })).contents).toHaveLength(1);
    const completed = await client.complete({
      ref: { type: 'ref/prompt', name: 'completable-prompt' },
      argument: { name: 'department', value: 'E' },
    });
    expect(completed.completion.values).toContain('Engineering');
    const sampled = await client.callTool({ name: 'trigger-sampling-request', arguments: { prompt: 'hi' } });
    expect(JSON.stringify(sampled)).toContain('sampled');
    const elicited = await client.callTool({ name: 'trigger-elicitation-request', arguments: {} });
    expect(JSON.stringify(elicited)).toContain('Ada');
  });
});

/** Calls a tool. On a busy machine the roots are due again, and are asked for first. */
async function callBeyondRoots(
  client: ScriptedClient,
  folder: string,
  call: Readonly<Record<string, unknown>>,
): Promise<Result> {
  const asked = await client.request('tools/call', call);
  if (Object.keys(asked['inputRequests'] ?? {}).join() !== 'roots') return asked;
  return client.request('tools/call', { ...call, ...answered(asked, folder) });
}

/** What brings a call back that was asked for the roots. */
function answered({ requestState }: Result, folder: string): Readonly<Record<string, unknown>> {
  return { inputResponses: { roots: { roots: [{ uri: uri(folder) }] } }, requestState };
}

describe('questions of a legacy server in the middle of a modern call', () => {
  const capabilities = { elicitation: { form: {} } };

  test('become input_required, and the call goes on with the answer', async () => {
    const folder = makeFolder('a');
    const { client } = await wrap([NODE, INNER], { ...MODERN, capabilities, roots: roots(folder) });
    expect(jsonOf(await client.callTool('where'))).toMatchObject({ cwd: folder });
    const call = { name: 'elicit', arguments: { message: 'Sure?' } };
    const asked = await callBeyondRoots(client, folder, call);
    expect(asked).toMatchObject({ resultType: 'input_required' });
    const [[key, question] = ['', undefined]] = Object.entries(asked['inputRequests'] as object);
    expect(question).toMatchObject({ method: 'elicitation/create', params: { message: 'Sure?' } });
    // Another call is not held up by the one that waits.
    expect(jsonOf(await client.callTool('where'))).toMatchObject({ cwd: folder });
    const answer = await client.request('tools/call', {
      name: 'elicit',
      arguments: { message: 'Sure?' },
      inputResponses: { [key]: { action: 'accept', content: { name: 'Bob' } } },
      requestState: asked['requestState'],
    });
    expect(answer).toMatchObject({ resultType: 'complete' });
    expect(jsonOf(answer)).toEqual({ action: 'accept', content: { name: 'Bob' } });
  });

  test('are refused where the client cannot be asked, and a made-up state is', async () => {
    // One that ends over a request that it does not know.
    const { client } = await wrap([NODE, INNER, '--strict'], { ...MODERN, roots: roots(makeFolder('a')) });
    expect(textOf(await client.callTool('elicit'))).toBe('refused');
    const call = { name: 'echo', arguments: {}, inputResponses: {}, requestState: '1.AAAA' };
    await expect(client.request('tools/call', call)).rejects.toThrow('its state is not known here any more');
  });

  test('a server that says nothing to what it does not know is introduced', async () => {
    const { client } = await wrap([NODE, INNER, '--silent'], { ...MODERN, roots: roots(makeFolder('a')) });
    expect(jsonOf(await client.callTool('heard'))).toEqual(['initialize', 'notifications/initialized']);
  });

  test('roots are asked for inside a call, followed when they change, and never made up', async () => {
    const [a, b] = [makeFolder('a'), makeFolder('b')];
    let folder = a;
    const { client } = await wrap([NODE, INNER, '{roots}'], {
      ...MODERN,
      cwd: b,
      roots: (asked) => asked.answer(folder === '' ? [] : [{ uri: uri(folder) }]),
    });
    expect(await client.request('tools/list')).toMatchObject({ resultType: 'complete', ttlMs: 0 });
    expect(client.asked).toHaveLength(0);
    expect(jsonOf(await client.callTool('where'))).toMatchObject({ cwd: a, args: [a] });
    folder = b;
    expect(jsonOf(await client.callTool('where'))).toMatchObject({ cwd: b, args: [b] });
    folder = '';
    expect((await client.callTool('where'))['isError']).toBe(true);
    folder = a;
    expect(jsonOf(await client.callTool('where'))).toMatchObject({ cwd: a, args: [a] });
    expect(client.asked).toHaveLength(4);
    const empty = await wrap([NODE, INNER], { ...MODERN, cwd: b, roots: (asked) => asked.answer([]) });
    expect((await empty.client.callTool('where'))['isError']).toBe(true);
  });

  test.each([
    ['does not come back', 'written', () => undefined],
    [
      'is taken back meanwhile',
      'its state is not known here any more',
      (client: ScriptedClient) => client.notify('notifications/cancelled', { requestId: 'first' }),
    ],
  ])(
    'a call that is asked for the roots and %s is not made, and holds up no other',
    async (_, later, leave) => {
      const folder = makeFolder('a');
      const file = join(folder, 'written');
      const { client } = await wrap([NODE, INNER], { ...MODERN, roots: roots(folder) });
      const call = { name: 'write', arguments: { path: file } };
      const first = await client.expect('first', () =>
        client.send(client.prepare('first', 'tools/call', call)),
      );
      expect(Object.keys(first['inputRequests'] as object)).toEqual(['roots']);
      leave(client);
      expect(jsonOf(await client.callTool('where'))).toMatchObject({ cwd: folder });
      expect(textOf(await client.callTool('echo', { value: 'next' }))).toBe('next');
      expect(existsSync(file)).toBe(false);
      const back = client.call('tools/call', { ...call, ...answered(first, folder) });
      expect(await back.then(textOf, String)).toContain(later);
      expect(existsSync(file)).toBe(later === 'written');
    },
  );

  test('subscriptions, log levels and cancellation are carried over', async () => {
    const { client } = await wrap([NODE, INNER], { ...MODERN, roots: roots(makeFolder('a')) });
    const meta = { 'io.modelcontextprotocol/logLevel': 'debug' };
    await client.callTool('echo', { value: 'x' }, { meta });
    const listening = client.prepare(900, 'subscriptions/listen', {
      notifications: { toolsListChanged: true, resourceSubscriptions: ['x://1'] },
    });
    client.send(listening);
    await client.until(() => JSON.stringify(client.received).includes('subscriptions/acknowledged'));
    expect(textOf(await client.callTool('heard'))).toContain('resources/subscribe {\\"uri\\":\\"x://1\\"}');
    expect(textOf(await client.callTool('heard'))).toContain('logging/setLevel {\\"level\\":\\"debug\\"}');
    await client.callTool('announce');
    await client.until(() =>
      JSON.stringify(client.received).includes('"io.modelcontextprotocol/subscriptionId":900'),
    );
    const given = new AbortController();
    // It may have reached the server by then.
    const never = join(makeFolder('gate'), 'never');
    const waiting = client.callTool('wait', { path: never }, { signal: given.signal });
    given.abort(new Error('given up'));
    await expect(waiting).rejects.toThrow('given up');
    expect(textOf(await client.callTool('echo', { value: 'after' }))).toBe('after');
  });
});
