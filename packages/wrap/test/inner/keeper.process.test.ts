import { tmpdir } from 'node:os';
import type { Root } from '@rootward/core';
import { ChildRegistry } from '@rootward/mcp/host';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { InnerEra } from '../../src/inner/inner-era.js';
import { Keeper } from '../../src/inner/keeper.js';

/** Answers `tools/list` when it is told to go on. */
const SLOW = `
  let id;
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const message = JSON.parse(line);
    if (message.method === 'tools/list') id = message.id;
    if (message.method === 'x/go') console.log(JSON.stringify({ jsonrpc: '2.0', id, result: { tools: [] } }));
  });`;

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

test('Keeper lets a server finish its lists that was started before the roots were known', async () => {
  const directory = tmpdir();
  const launch = { command: process.execPath, args: ['-e', SLOW], directory, environment: process.env };
  const keeper = new Keeper({
    policy: 'auto',
    children: new ChildRegistry(),
    era: new InnerEra('legacy'),
    contain: undefined,
    launch: () => launch,
    introduce: () => Promise.resolve(),
    replaced: () => undefined,
    crashed: () => undefined,
    events: {
      request: () => undefined,
      notification: () => undefined,
      left: () => undefined,
      noise: () => undefined,
    },
  });
  const first = await keeper.acquire();
  expect(first.provisional).toBe(true);
  const listed = first.ask('tools/list', undefined);
  const root: Pick<Root, 'path' | 'kind'> = { path: directory, kind: 'directory' };
  keeper.settle([root as Root]);
  await vi.advanceTimersByTimeAsync(60_000);
  first.send([Buffer.from('{"jsonrpc":"2.0","method":"x/go"}')]);
  expect((await listed).raw('result')).toBe('{"tools":[]}');
  keeper.close('the test is over');
});
