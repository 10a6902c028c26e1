import { tmpdir } from 'node:os';
import type { Root } from '@rootward/core';
import { Deferred } from '@rootward/core/platform';
import { ChildRegistry } from '@rootward/mcp/host';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { InnerEra } from '../../src/inner/era-bridge.js';
import { Keeper, type KeeperOptions } from '../../src/inner/keeper.js';
import { Introduction } from '../../src/session/introduction.js';
import { RawMessage } from '../../src/wire/raw-message.js';

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

const WORDS = 'waiting for a licence';
/** Says something on stderr, reads what it gets, and never answers; ends by a signal only. */
const SILENT = `
  process.stdin.resume();
  setInterval(() => undefined, 60_000);
  process.stderr.write('${WORDS}');`;

const INITIALIZE = RawMessage.from({
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
});

function keep(script: string, options: Partial<KeeperOptions> = {}): Keeper {
  const directory = tmpdir();
  const launch = { command: process.execPath, args: ['-e', script], directory, environment: process.env };
  return new Keeper({
    policy: 'auto',
    children: new ChildRegistry(),
    era: new InnerEra('legacy'),
    contain: undefined,
    launch: () => launch,
    introduce: () => Promise.resolve(),
    replaced: () => undefined,
    crashed: () => undefined,
    events: SILENTLY,
    ...options,
  });
}

const SILENTLY: KeeperOptions['events'] = {
  request: () => undefined,
  notification: () => undefined,
  left: () => undefined,
  noise: () => undefined,
};

test('Keeper lets a server finish its lists that was started before the roots were known', async () => {
  const keeper = keep(SLOW);
  const first = await keeper.acquire();
  expect(first.provisional).toBe(true);
  const listed = first.ask('tools/list', undefined);
  const root: Pick<Root, 'path' | 'kind'> = { path: tmpdir(), kind: 'directory' };
  keeper.settle([root as Root]);
  await vi.advanceTimersByTimeAsync(60_000);
  first.send([Buffer.from('{"jsonrpc":"2.0","method":"x/go"}')]);
  expect((await listed).raw('result')).toBe('{"tools":[]}');
  keeper.close('the test is over');
});

const rootAt = (path: string): Root => {
  const root: Pick<Root, 'path' | 'kind' | 'access'> = { path, kind: 'directory', access: 'read-write' };
  return root as Root;
};

test('Keeper cuts off a replaced server with calls under way when one of its roots is taken away', async () => {
  const keeper = keep(SLOW, { policy: 'restart' });
  const [a, b, c] = [rootAt('/a'), rootAt('/b'), rootAt('/c')];
  keeper.settle([a, b]);
  const first = await keeper.acquire();
  const listed = first.ask('tools/list', undefined);
  keeper.change([a, b, c], false);
  keeper.change([a, b], true);
  expect(first.busy).toBe(true);
  keeper.change([a], true);
  await expect(listed).rejects.toThrow('the folders of the workspace changed');
  keeper.close('the test is over');
});

test('Keeper.close() ends a replaced server that still works on a call', async () => {
  const keeper = keep(SLOW, { policy: 'restart' });
  keeper.settle([rootAt('/a')]);
  const listed = (await keeper.acquire()).ask('tools/list', undefined);
  keeper.change([rootAt('/a'), rootAt('/b')], false);
  keeper.close('the test is over');
  await expect(listed).rejects.toThrow('the test is over');
});

test('Keeper gives up a server that starts and never answers, with its last words, and ends it', async () => {
  const spoke = new Deferred();
  const gone = new Deferred();
  const keeper = keep(SILENT, {
    contain: (launch) => Promise.resolve({ ...launch, ended: () => gone.resolve() }),
    introduce: (instance) => new Introduction(INITIALIZE).perform(instance),
    events: { ...SILENTLY, noise: (bytes) => void (bytes.includes(WORDS) && spoke.resolve()) },
  });
  const outcome = keeper.acquire().then(
    () => 'introduced',
    (error: unknown) => error,
  );
  await spoke.promise;
  await vi.advanceTimersByTimeAsync(119_000);
  expect(keeper.instance?.usable).toBe(true);
  await vi.advanceTimersByTimeAsync(1000);
  expect(await outcome).toMatchObject({
    code: 'no-answer',
    message: expect.stringMatching(
      /^the server did not answer "initialize" within 120 s; is it an MCP server\?; its last words: .*waiting for a licence$/,
    ),
  });
  expect(keeper.instance).toBeUndefined();
  // Its input is closed; then it is asked by a signal.
  await vi.advanceTimersByTimeAsync(500);
  await gone.promise;
});

test('Keeper lets at most four replaced servers finish their calls, and ends the oldest for a fifth', async () => {
  const keeper = keep(SLOW, { policy: 'restart' });
  const lost: number[] = [];
  const calls: Promise<unknown>[] = [];
  for (let number = 0; number < 6; number++) {
    keeper.change([rootAt(`/${String(number)}`)], false);
    const call = (await keeper.acquire()).ask('tools/list', undefined);
    call.catch(() => lost.push(number));
    calls.push(call);
  }
  await expect(calls[0]).rejects.toThrow('the folders of the workspace changed');
  expect(lost).toEqual([0]);
  keeper.close('the test is over');
});

test.each([
  ['the roots change', (keeper: Keeper) => keeper.change([rootAt('/b')], true), 2],
  ['the client leaves', (keeper: Keeper) => keeper.close('the test is over'), 1],
])('Keeper gives up a sandbox that was being made when %s', async (_, change, starts) => {
  const made = new Deferred();
  const asked = new Deferred();
  let [open, used] = [0, 0];
  const keeper = keep(SILENT, {
    contain: async (launch) => {
      open += 1;
      used += 1;
      asked.resolve();
      await made.promise;
      return { ...launch, ended: () => (open -= 1) };
    },
  });
  keeper.settle([rootAt('/a')]);
  const acquired = keeper.acquire().then(
    () => 1,
    () => 0,
  );
  await asked.promise;
  change(keeper);
  made.resolve();
  const running = await acquired;
  expect([used, open]).toEqual([starts, running]);
  expect(running).toBe(starts - 1);
  keeper.close('the test is over');
});
