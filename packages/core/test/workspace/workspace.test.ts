import { writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { FakeClock } from '../../../../testing/fake-clock.js';
import type { LogFields } from '../../src/platform/logger.js';
import { Workspace } from '../../src/workspace/workspace.js';
import { readFrom } from '../sources/read-from.js';
import {
  ScriptedClient,
  connectAsked,
  makeTree,
  paths,
  pathsOf,
  promptDisk,
  record,
} from './scripted-client.js';

describe('snapshot()', () => {
  test('is frozen, and JSON shows all of it', async () => {
    const tree = makeTree('a');
    const { workspace, client, clock } = await connectAsked();
    await client.answer([tree('a'), tree('missing')]);
    const snapshot = workspace.snapshot();
    expect([snapshot, snapshot.roots, snapshot.roots[0], snapshot.trace].every(Object.isFrozen)).toBe(true);
    const shown: object = JSON.parse(JSON.stringify(snapshot));
    expect(Object.keys(shown).toSorted()).toEqual([
      'client',
      'epoch',
      'rejected',
      'roots',
      'takenAt',
      'trace',
    ]);
    expect(shown).toMatchObject({
      client: 'answered',
      takenAt: clock.now(),
      rejected: [{ reason: 'not-found' }],
    });
  });

  test('its epoch grows by one on every change of the roots, and on nothing else', async () => {
    const tree = makeTree('a', 'b');
    const { workspace, client, clock } = await connectAsked();
    const epochs = [workspace.snapshot().epoch];
    for (const list of [[tree('a')], [tree('a')], [tree('a'), tree('b')], [tree('b'), tree('a')], []]) {
      await client.answer(list);
      epochs.push(workspace.snapshot().epoch);
      await clock.advanceAndSettle(1_000);
      workspace.rootsChanged();
    }
    expect(epochs).toEqual([0, 1, 1, 2, 3, 4]);
  });

  test('directory() is the first directory root', async () => {
    const tree = makeTree('b', 'c');
    writeFileSync(tree('file'), '');
    const { workspace, client } = await connectAsked();
    expect(workspace.directory()).toBeUndefined();
    await client.answer([tree('file'), tree('b'), tree('c')]);
    expect(workspace.directory()).toBe(tree('b'));
  });

  test('scope() is made once per snapshot, by the given factory', async () => {
    const tree = makeTree('a');
    const { workspace, client } = await connectAsked();
    await client.answer([tree('a')]);
    const scope = workspace.scope();
    expect(workspace.scope()).toBe(scope);
    expect(scope.roots).toBe(workspace.snapshot().roots);
  });

  test('a cached ready() gives the same promise for the same snapshot', async () => {
    const tree = makeTree('a');
    const { workspace, client } = await connectAsked();
    await client.answer([tree('a')]);
    expect(workspace.ready()).toBe(workspace.ready());
    expect(await workspace.ready()).toBe(workspace.snapshot());
  });
});

test('a cached ready() never gives roots that were taken away meanwhile', async () => {
  const tree = makeTree('a', 'b');
  const { workspace, client } = await connectAsked();
  await client.answer([tree('a')]);
  expect(paths((await workspace.ready()).roots)).toEqual([tree('a')]);
  workspace.rootsChanged();
  await client.answer([tree('b')]);
  expect(paths((await workspace.ready()).roots)).toEqual([tree('b')]);
  expect(workspace.stats().cache.hits).toBe(2);
});

test('a cached ready() rejects when its signal is aborted', async () => {
  const { workspace, client } = await connectAsked();
  await client.answer([]);
  await expect(workspace.ready({ signal: AbortSignal.abort() })).rejects.toMatchObject({
    name: 'AbortError',
  });
});

describe('logs', () => {
  test('client paths never appear above debug, and every step leaves a line at debug', async () => {
    const tree = makeTree('a', 'flag');
    const lines: { level: string; text: string; fields: LogFields | undefined }[] = [];
    const at = (level: string) => (text: string, fields?: LogFields) => lines.push({ level, text, fields });
    const log = { debug: at('debug'), info: at('info'), warn: at('warn') };
    const { workspace, client, clock } = await connectAsked({ log, roots: [tree('flag')] });
    await clock.advanceAndSettle(30);
    await client.answer([tree('a')]);
    await clock.advanceAndSettle(1_000);
    workspace.rootsChanged();
    await client.error(-32603);
    await client.answer([tree('a')], 1);
    const loud = lines.filter(({ level }) => level !== 'debug');
    expect(JSON.stringify(loud)).not.toContain(tree('a'));
    expect(loud).toEqual([]);
    expect(lines.map(({ text }) => text)).toEqual([
      'client supports roots',
      'roots request sent',
      'roots answer applied',
      'roots change notification received',
      'roots request sent',
      'roots request failed',
    ]);
    expect(lines[2]?.fields).toMatchObject({ source: 'client', count: 1, milliseconds: 30 });
  });

  test('a dropped answer is told of, with the reason', async () => {
    const tree = makeTree('a');
    const dropped: (LogFields | undefined)[] = [];
    const log = {
      debug: (text: string, fields?: LogFields) => text === 'roots answer dropped' && dropped.push(fields),
      info() {},
      warn() {},
    };
    const { workspace, client, clock } = await connectAsked({ log });
    await clock.advanceAndSettle(2_000);
    workspace.rootsChanged();
    await client.answer([tree('a')], 1);
    expect(dropped).toMatchObject([{ generation: 1, newest: 2, reason: 'a newer request was sent' }]);
  });
});

test('two workspaces in one process never share roots, timers, caches or events (1,000 of them, at random)', async () => {
  const tree = makeTree(...Array.from({ length: 10 }, (_, index) => `folder${index}`));
  const folders = Array.from({ length: 10 }, (_, index) => tree(`folder${index}`));
  const sources = await readFrom({ disk: promptDisk });
  let seed = 20_260_728;
  const random = (below: number): number => {
    // A linear congruential generator: the same interleaving in every run.
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * below);
  };
  const pick = (): string[] => folders.filter(() => random(3) === 0);
  const all = Array.from({ length: 1_000 }, () => {
    const client = new ScriptedClient();
    const clock = new FakeClock();
    const workspace = new Workspace({ sources, port: client, clock });
    return { client, clock, workspace, changes: record(workspace), expected: [] as string[], events: 0 };
  });
  for (const one of all) {
    one.workspace.clientDeclared({ roots: true });
    one.workspace.clientReady();
  }
  for (let turn = 0; turn < 4_000; turn += 1) {
    const one = all[random(all.length)]!;
    const list = pick();
    if (one.client.calls.length > one.events) {
      one.events = one.client.calls.length;
      await one.client.answer(list);
      one.expected = list;
    } else {
      await one.clock.advanceAndSettle(1_000);
      one.workspace.rootsChanged();
    }
  }
  for (const { workspace, expected, changes, clock, client, events } of all) {
    expect(pathsOf(workspace)).toEqual(expected);
    expect(workspace.snapshot().epoch).toBe(changes.length);
    expect(changes.at(-1)?.snapshot.roots ?? []).toHaveLength(expected.length);
    expect(workspace.stats().answers).toBe(events);
    expect(workspace.stats().requests).toBe(client.asked);
    expect(clock.timers).toBe(client.asked > events ? 1 : 0);
    expect(workspace.scope().roots).toBe(workspace.snapshot().roots);
  }
  const [first, ...others] = all;
  const before = others.map(({ workspace }) => workspace.snapshot());
  first!.workspace.dispose();
  expect(others.every(({ workspace }, index) => workspace.snapshot() === before[index])).toBe(true);
  for (const { workspace } of others) workspace.dispose();
  expect(all.every(({ clock }) => clock.timers === 0)).toBe(true);
});
