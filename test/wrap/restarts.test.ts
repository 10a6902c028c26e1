import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Result } from '@rootward/mcp/testing';
import { INNER, jsonOf, makeFolder, roots, textOf, wrap } from './fixtures/wrapped.js';

const NODE = process.execPath;
const IN_FLIGHT = 50;

interface Answers {
  readonly results: Promise<readonly Result[]>;
  /** How many answers came under each of the ids. */
  counts(received: readonly unknown[]): readonly number[];
}

/** Calls that are all under way in the server. */
async function callAll(client: Awaited<ReturnType<typeof wrap>>['client'], path: string): Promise<Answers> {
  const ids = Array.from({ length: IN_FLIGHT }, (_, number) => `call-${number}`);
  const results = Promise.all(
    ids.map((id) =>
      client.expect(id, () =>
        client.send(client.prepare(id, 'tools/call', { name: 'wait', arguments: { path } })),
      ),
    ),
  );
  const waiting = (): number =>
    client.received.filter((message) => 'method' in message && message.method === 'x/waiting').length;
  await client.until(() => waiting() === IN_FLIGHT);
  return {
    results,
    counts: (received) =>
      ids.map((id) => received.filter((message) => (message as { id?: unknown }).id === id).length),
  };
}

describe('a restart with calls in flight', () => {
  test('lets them end after an addition: each is answered once, by the server that has it', async () => {
    const [a, b] = [makeFolder('a'), makeFolder('b')];
    const gate = join(makeFolder('gate'), 'open');
    const { client } = await wrap([NODE, INNER, '{roots}'], { roots: roots(a) });
    await client.callTool('where');
    const calls = await callAll(client, gate);
    client.changeRoots(roots(a, b));
    expect(jsonOf(await client.callTool('where'))).toMatchObject({ args: [a, b] });
    writeFileSync(gate, '');
    const texts = (await calls.results).map(textOf);
    expect(texts).toEqual(Array.from({ length: IN_FLIGHT }, () => `waited in ${a}`));
    expect(calls.counts(client.received)).toEqual(Array.from({ length: IN_FLIGHT }, () => 1));
  });

  test('fails them clearly after a removal: nothing of the removed root gets out', async () => {
    const [a, b] = [makeFolder('a'), makeFolder('b')];
    const gate = join(makeFolder('gate'), 'open');
    const { client } = await wrap([NODE, INNER, '{roots}'], { roots: roots(a, b) });
    await client.callTool('where');
    const calls = await callAll(client, gate);
    client.changeRoots(roots(b));
    expect(jsonOf(await client.callTool('where'))).toMatchObject({ cwd: b, args: [b] });
    writeFileSync(gate, '');
    for (const result of await calls.results) {
      expect(result['isError']).toBe(true);
      expect(textOf(result)).toContain('the folders of the workspace changed');
    }
    await client.callTool('where');
    expect(calls.counts(client.received)).toEqual(Array.from({ length: IN_FLIGHT }, () => 1));
    expect(JSON.stringify(client.received)).not.toContain(`waited in ${a}`);
  });

  test('introduces the client again, with its log level and subscriptions', async () => {
    const [a, b] = [makeFolder('a'), makeFolder('b')];
    const { client } = await wrap([NODE, INNER], { roots: roots(a) });
    await client.request('logging/setLevel', { level: 'debug' });
    await client.request('resources/subscribe', { uri: 'x://1' });
    client.changeRoots(roots(b));
    expect(jsonOf(await client.callTool('where'))).toMatchObject({ cwd: b });
    expect(jsonOf(await client.callTool('heard'))).toEqual([
      'initialize',
      'notifications/initialized',
      'logging/setLevel {"level":"debug"}',
      'resources/subscribe {"uri":"x://1"}',
    ]);
  });
});

describe('an inner server that is killed', () => {
  const KILLS = Number(process.env['ROOTWARD_WRAP_KILLS'] ?? 5);

  test('is started again for the next call, and the one under way gets a clear error', async () => {
    const { client } = await wrap([NODE, INNER], { roots: roots(makeFolder('a')) });
    await client.callTool('where');
    for (let kill = 0; kill < KILLS; kill++) {
      const crashed = await client.callTool('crash');
      expect(crashed['isError']).toBe(true);
      expect(textOf(crashed)).toContain('the server ended (signal SIGKILL)');
      const next = await client.callTool('echo', { value: String(kill) });
      expect(textOf(next)).toBe(String(kill));
      expect(JSON.stringify(next['content'])).toContain('was started again before this call');
      expect((await client.callTool('echo', { value: 'x' }))['content']).toEqual([
        { type: 'text', text: 'x' },
      ]);
    }
  });
});
