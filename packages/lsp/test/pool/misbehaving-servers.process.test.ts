import { existsSync, readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Workspace } from '@rootward/core';
import { LanguageServers, outline, RootwardLspError, type LanguageServersOptions } from '@rootward/lsp';
import { FakeClock } from '../../../../testing/fake-clock.js';
import { Folder } from '../fixtures/folder.js';
import { giveRoots, liveWorkspace } from '../fixtures/live-workspace.js';
import { recorded, scripted, type Script } from '../fixtures/scripted.js';
import { eventually } from '../../../../testing/eventually.js';

let home: Folder;
let workspace: Workspace;
let record: string;
const pools: LanguageServers[] = [];

beforeEach(async () => {
  home = new Folder({ 'one/a.toy': 'a', 'one/a.well': 'a' });
  record = home.at('record');
  workspace = await liveWorkspace(home.at('one'));
});

afterEach(async () => {
  for (const pool of pools.splice(0)) await pool.dispose();
  workspace.dispose();
  home[Symbol.dispose]();
});

function serve(script: Script, options: LanguageServersOptions = {}): LanguageServers {
  const well = scripted({}, { name: 'well', extension: '.well', folders: 'file-driven' });
  const servers = [scripted({ record, ...script }, { folders: 'file-driven' }), well];
  const pool = new LanguageServers(workspace, { servers, ...options });
  pools.push(pool);
  return pool;
}

function ask(servers: LanguageServers, file = 'one/a.toy', signal?: AbortSignal): ReturnType<typeof outline> {
  return outline({ servers, scope: workspace.scope(), signal }, { file: home.at(file) });
}

function pids(): readonly number[] {
  return recorded(record).flatMap((entry) => entry['start']?.pid ?? []);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !readFileSync(`/proc/${pid}/stat`, 'latin1').includes(') Z ');
  } catch {
    return false;
  }
}

const GARBAGE = 'Welcome to the toy server!\r\n\r\n';

test.each<[string, Script, RegExp]>([
  ['ends at its start', { crash: 'on-start' }, /exit code 3 \(cannot find my own head\)$/],
  ['ends on a question', { crash: 'on-request' }, /exit code 4/],
  ['writes garbage', { garbage: GARBAGE }, /cannot be read/],
  ['sends a message of 100 MB', { huge: 100 * 1024 * 1024 }, /more than 32 MB/],
])('a server that %s leads to a clear error, and the others work', async (_, script, message) => {
  const servers = serve(script);
  const failure = await ask(servers).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(RootwardLspError);
  expect(failure).toMatchObject({ code: 'crashed', message: expect.stringMatching(message) });
  expect((await ask(servers, 'one/a.well')).symbols).toHaveLength(1);
});

test.each<[string, Script, RegExp]>([
  ['initialize', { hang: 'initialize' }, /initialize within 30 s/],
  ['documentSymbol', { hang: 'request' }, /documentSymbol within 30 s/],
])(
  'a server that does not answer %s leads to a clear error and is ended, and the others work',
  async (what, script, message) => {
    const clock = new FakeClock();
    const servers = serve(script, { clock, limits: { startWait: 60_000 } });
    const asked = ask(servers).catch((error: unknown) => error);
    await eventually(() =>
      expect(existsSync(record) && recorded(record).some((entry) => what in entry)).toBe(true),
    );
    clock.advance(30_000);
    expect(await asked).toMatchObject({ code: 'timeout', message: expect.stringMatching(message) });
    await eventually(() => expect(pids().filter(isRunning)).toEqual([]));
    expect((await ask(servers, 'one/a.well')).symbols).toHaveLength(1);
  },
);

test.each([
  ['arguments that are too long', { args: ['x'.repeat(200_000)] }, /E2BIG/],
  ['an environment that is no such', { environment: { NAME: 'a\0b' } }, /null bytes/],
])('a server that cannot be started because of %s leads to a clear error', async (_, more, message) => {
  const definition = { ...scripted({}, { folders: 'file-driven' }), ...more };
  const servers = new LanguageServers(workspace, { servers: [definition] });
  pools.push(servers);
  await expect(ask(servers)).rejects.toMatchObject({
    code: 'start-failed',
    message: expect.stringMatching(message),
  });
  expect(servers.status()).toEqual([]);
});

test('a server that keeps failing is left alone for a while, visibly, and then tried again', async () => {
  const clock = new FakeClock();
  const servers = serve({ crash: 'on-start' }, { clock });
  await expect(ask(servers)).rejects.toMatchObject({ code: 'crashed' });
  await expect(ask(servers)).rejects.toMatchObject({ code: 'crashed' });
  await expect(ask(servers)).rejects.toThrow(/failed 2 times.*exit code 3.*next attempt in 1 s/);
  expect(pids()).toHaveLength(2);
  expect(servers.status()).toMatchObject([
    { state: 'failed', reason: expect.stringContaining('failed 2 times') },
  ]);
  clock.advance(1_000);
  await expect(ask(servers)).rejects.toThrow(/exit code 3/);
  await expect(ask(servers)).rejects.toThrow(/failed 3 times.*next attempt in 10 s/);
  expect(pids()).toHaveLength(3);
});

test('the last words of a server that fails name no place out of scope', async () => {
  home.write({ 'two/secret.toy': '' });
  const words = `cannot open ${home.at('two/secret.toy')} for ${home.at('one/a.toy')}`;
  const servers = serve({ crash: 'on-request', lastWords: words }, { clock: new FakeClock() });
  await expect(ask(servers)).rejects.toMatchObject({ code: 'crashed' });
  await eventually(() => expect(servers.status()).toEqual([]));
  await expect(ask(servers)).rejects.toMatchObject({ code: 'crashed' });
  await eventually(() => expect(servers.status()).toMatchObject([{ state: 'failed' }]));
  const expected = `cannot open (outside the roots) for ${home.at('one/a.toy')}`;
  expect(servers.status()[0]!.reason).toContain(expected);
  await expect(ask(servers)).rejects.toThrow(expected);
});

test('a server that ends between two questions is started again', async () => {
  const servers = serve({});
  const [first] = (await ask(servers)).symbols;
  process.kill(pids()[0]!, 'SIGKILL');
  await eventually(() => expect(servers.status()).toEqual([]));
  const [second] = (await ask(servers)).symbols;
  expect(second!.name).not.toBe(first!.name);
});

test('a question that comes while a server starts is answered with that after a while, and the server goes on', async () => {
  const clock = new FakeClock();
  const servers = serve({ hang: 'initialize' }, { clock });
  const asked = ask(servers).catch((error: unknown) => error);
  await eventually(() => expect(existsSync(record) && recorded(record).length).toBe(2));
  clock.advance(15_000);
  expect(await asked).toMatchObject({ code: 'loading', instruction: expect.stringContaining('Ask again') });
  expect(pids().filter(isRunning)).toHaveLength(1);
  expect(servers.status()).toMatchObject([{ state: 'starting' }]);
});

test('a server that is stopped by a signal costs one time-out, and is started anew with the next question', async () => {
  const clock = new FakeClock();
  const servers = serve({}, { clock });
  await ask(servers);
  process.kill(pids()[0]!, 'SIGSTOP');
  home.write({ 'one/a.toy': 'changed' });
  const asked = ask(servers).catch((error: unknown) => error);
  await eventually(() => {
    clock.advance(30_000);
    expect(pids().filter(isRunning)).toEqual([]);
  });
  expect(await asked).toMatchObject({ code: 'timeout', instruction: expect.stringContaining('Ask again') });
  expect((await ask(servers)).symbols).toHaveLength(1);
  expect(pids()).toHaveLength(2);
});

test('dispose() ends a server that ignores shutdown, and what it started itself', async () => {
  const grandchild = home.at('grandchild');
  const servers = serve({ hang: 'shutdown', ignoreEnd: true, grandchild }, { limits: { stopTimeout: 50 } });
  await ask(servers);
  await servers.dispose();
  const all = [...pids(), Number(readFileSync(grandchild, 'utf8'))];
  expect(all).toHaveLength(2);
  await eventually(() => expect(all.filter(isRunning)).toEqual([]));
  await expect(ask(servers)).rejects.toMatchObject({ code: 'disposed' });
});

test('dispose() ends a server that is still shaking hands', async () => {
  const servers = serve({ hang: 'initialize' });
  const asked = ask(servers).catch((error: unknown) => error);
  await eventually(() => expect(existsSync(record) && recorded(record).length).toBe(2));
  await servers.dispose();
  expect(await asked).toMatchObject({ code: 'crashed' });
  expect(pids().filter(isRunning)).toEqual([]);
});

test('kill() ends servers without waiting for them', async () => {
  const servers = serve({ hang: 'shutdown', ignoreEnd: true });
  await ask(servers);
  servers.kill();
  await eventually(() => expect(pids().filter(isRunning)).toEqual([]));
});

test('a server nobody asks is stopped after ten minutes, and started again when needed', async () => {
  const clock = new FakeClock();
  const servers = serve({}, { clock });
  await ask(servers);
  clock.advance(9 * 60_000);
  await ask(servers);
  clock.advance(9 * 60_000);
  expect(servers.status()).toMatchObject([{ state: 'running' }]);
  clock.advance(60_000);
  await eventually(() => expect(pids().filter(isRunning)).toEqual([]));
  expect(servers.status()).toEqual([]);
  await ask(servers);
  expect(pids()).toHaveLength(2);
});

test('a call that is cancelled ends at once, and the server lives on', async () => {
  const servers = serve({ hang: 'request' });
  const controller = new AbortController();
  const asked = ask(servers, 'one/a.toy', controller.signal);
  await eventually(() => expect(recorded(record).some((entry) => 'documentSymbol' in entry)).toBe(true));
  controller.abort(new Error('enough'));
  await expect(asked).rejects.toThrow('enough');
  expect(servers.status()).toMatchObject([{ state: 'running' }]);
});

test('a call that is cancelled while its server starts ends at once, and the server starts for the next', async () => {
  const servers = serve({ hang: 'initialize' });
  const controller = new AbortController();
  const asked = ask(servers, 'one/a.toy', controller.signal);
  await eventually(() => expect(existsSync(record) && recorded(record).length).toBe(2));
  controller.abort(new Error('enough'));
  await expect(asked).rejects.toThrow('enough');
  await expect(ask(servers, 'one/a.toy', controller.signal)).rejects.toThrow('enough');
  expect(servers.status()).toMatchObject([{ state: 'starting' }]);
  expect(pids()).toHaveLength(1);
});

test('roots that change while a server starts are what it ends up with', async () => {
  home.write({ 'two/a.toy': 'a' });
  const capabilities = { workspace: { workspaceFolders: { changeNotifications: true } } };
  const definition = scripted({ record, capabilities }, { folders: 'shared' });
  const servers = new LanguageServers(workspace, { servers: [definition] });
  pools.push(servers);
  const asked = ask(servers);
  await giveRoots(workspace, home.at('one'), home.at('two'));
  await asked;
  expect(servers.status()).toMatchObject([{ folders: [home.at('one'), home.at('two')] }]);
});

test('kill() also ends a server that is being stopped and takes its time', async () => {
  const servers = serve({ hang: 'shutdown', ignoreEnd: true }, { limits: { stopTimeout: 60_000 } });
  await ask(servers);
  await giveRoots(workspace);
  await eventually(() => expect(recorded(record)).toContainEqual({ shutdown: true }));
  servers.kill();
  await eventually(() => expect(pids().map(isRunning)).toEqual([false]));
});

test('the reason a server does not run names no root that is gone', async () => {
  home.write({ 'two/a.toy': 'a' });
  await giveRoots(workspace, home.at('one'), home.at('two'));
  const servers = serve({ crash: 'on-request', lastWords: `cannot read ${home.at('two/a.toy')}` });
  for (let attempt = 0; attempt < 2; attempt += 1) await ask(servers).catch(() => undefined);
  await eventually(() => expect(servers.status()[0]?.reason).toContain(home.at('two/a.toy')));
  await giveRoots(workspace, home.at('one'));
  expect(servers.status()[0]?.reason).toContain('cannot read (outside the roots)');
  await expect(ask(servers)).rejects.not.toMatchObject({ message: expect.stringContaining('two') });
});
