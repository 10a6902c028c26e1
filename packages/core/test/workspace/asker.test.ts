import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { readRoots } from '../../src/roots/read-roots.js';
import { Deferred } from '../../src/workspace/deferred.js';
import { defaultLimits } from '../../src/workspace/limits.js';
import { settle } from '../../../../testing/fake-clock.js';
import type { Connection } from './scripted-client.js';
import { ScriptedClient, connect, connectAsked, makeTree, pathsOf, promptDisk } from './scripted-client.js';

const { readyTimeout, answerTimeout, freshFor, askSilentAfter } = defaultLimits;
const METHOD_NOT_FOUND = -32601;

/** Whether a promise is settled by now. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  const note = (): void => {
    settled = true;
  };
  void promise.then(note, note);
  await settle();
  return settled;
}

describe('before the first answer', () => {
  test('a client that declared no roots is not asked and nobody waits for it', async () => {
    const { workspace, client } = await connect();
    workspace.clientDeclared({ roots: false });
    workspace.clientReady();
    expect((await workspace.ready()).client).toBe('unsupported');
    workspace.rootsChanged();
    await workspace.ready();
    expect(client.asked).toBe(0);
  });

  test('a declared client is asked at once after it is ready, with or without listChanged', async () => {
    const { workspace, client } = await connect();
    workspace.clientDeclared({ roots: true });
    expect(client.asked).toBe(0);
    workspace.clientReady();
    expect(client.asked).toBe(1);
    expect(workspace.snapshot().client).toBe('pending');
  });

  test('a call before the client is ready waits for it within the same readyTimeout, and nothing is asked earlier', async () => {
    const tree = makeTree('a');
    const { workspace, client, clock } = await connect();
    workspace.clientDeclared({ roots: true });
    const call = workspace.ready();
    await clock.advanceAndSettle(readyTimeout / 2);
    expect(client.asked).toBe(0);
    expect(await isSettled(call)).toBe(false);
    workspace.clientReady();
    await client.answer([tree('a')]);
    expect((await call).roots.map((root) => root.path)).toEqual([tree('a')]);
  });

  test('a call before the client is ready goes on after readyTimeout, and the next one does not wait', async () => {
    const { workspace, client, clock } = await connect();
    const call = workspace.ready();
    await clock.advanceAndSettle(readyTimeout - 1);
    expect(await isSettled(call)).toBe(false);
    await clock.advanceAndSettle(1);
    expect(await isSettled(call)).toBe(true);
    expect(await isSettled(workspace.ready())).toBe(true);
    workspace.clientDeclared({ roots: true });
    workspace.clientReady();
    expect(client.asked).toBe(1);
  });

  test.each([
    ['is ready', (one: Connection) => one.workspace.clientReady()],
    ['announces a change', (one: Connection) => one.workspace.rootsChanged()],
  ])('after a wait in vain for the client to be ready, calls wait again once it %s', async (_, speak) => {
    const connection = await connect();
    const { workspace, clock } = connection;
    workspace.clientDeclared({ roots: true });
    void workspace.ready();
    await clock.advanceAndSettle(readyTimeout);
    expect(await isSettled(workspace.ready())).toBe(true);
    speak(connection);
    const call = workspace.ready();
    expect(await isSettled(call)).toBe(false);
    await clock.advanceAndSettle(readyTimeout);
    expect(await isSettled(call)).toBe(true);
  });

  test('a call under way gets the answer as soon as it is applied', async () => {
    const tree = makeTree('a');
    const { workspace, client } = await connectAsked();
    const call = workspace.ready();
    expect(await isSettled(call)).toBe(false);
    await client.answer([tree('a')]);
    const snapshot = await call;
    expect(snapshot).toBe(workspace.snapshot());
    expect(snapshot.client).toBe('answered');
  });

  test('ready() rejects with the reason of an aborted signal, before and while waiting', async () => {
    const { workspace } = await connectAsked();
    const reason = new Error('cancelled by the user');
    await expect(workspace.ready({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const controller = new AbortController();
    const call = workspace.ready({ signal: controller.signal });
    controller.abort(reason);
    await expect(call).rejects.toBe(reason);
  });
});

describe('a silent client', () => {
  test('a call waits at most the ready timeout once, then never again until the client speaks', async () => {
    const tree = makeTree('a');
    const { workspace, client, clock } = await connectAsked();
    const first = workspace.ready();
    await clock.advanceAndSettle(readyTimeout - 1);
    expect(await isSettled(first)).toBe(false);
    await clock.advanceAndSettle(1);
    expect((await first).client).toBe('silent');
    expect(await isSettled(workspace.ready())).toBe(true);
    await clock.advanceAndSettle(askSilentAfter + readyTimeout);
    expect(await isSettled(workspace.ready())).toBe(true);

    workspace.rootsChanged();
    const afterSpeaking = workspace.ready();
    expect(await isSettled(afterSpeaking)).toBe(false);
    await client.answer([tree('a')]);
    expect((await afterSpeaking).roots).toHaveLength(1);
  });

  test('a call that comes late in the life of a request waits only for what is left', async () => {
    const { workspace, clock } = await connectAsked();
    await clock.advanceAndSettle(readyTimeout - 100);
    const call = workspace.ready();
    await clock.advanceAndSettle(99);
    expect(await isSettled(call)).toBe(false);
    await clock.advanceAndSettle(1);
    expect(await isSettled(call)).toBe(true);
  });

  test('an answer after the ready timeout still applies', async () => {
    const tree = makeTree('a');
    const { workspace, client, clock } = await connectAsked();
    await clock.advanceAndSettle(readyTimeout + 30_000);
    expect(workspace.snapshot().client).toBe('silent');
    await client.answer([tree('a')]);
    expect(pathsOf(workspace)).toEqual([tree('a')]);
    expect(workspace.snapshot().client).toBe('answered');
  });

  test('a late answer that gives nothing ends the silence all the same', async () => {
    const { workspace, client, clock } = await connectAsked();
    await clock.advanceAndSettle(readyTimeout);
    await client.result(null);
    workspace.invalidate('retry');
    const call = workspace.ready();
    expect(client.asked).toBe(2);
    expect(await isSettled(call)).toBe(false);
    await client.answer([]);
    await call;
  });

  test('an answer after the answer timeout is dropped, and the request was aborted', async () => {
    const tree = makeTree('a');
    const { workspace, client, clock } = await connectAsked();
    await clock.advanceAndSettle(answerTimeout);
    expect(client.calls[0]?.signal.aborted).toBe(true);
    await client.answer([tree('a')]);
    expect(pathsOf(workspace)).toEqual([]);
  });

  test('it is asked again after 5 minutes, without anyone waiting', async () => {
    const { workspace, client, clock } = await connectAsked();
    await clock.advanceAndSettle(askSilentAfter - 1);
    expect(client.asked).toBe(1);
    await clock.advanceAndSettle(1);
    expect(client.asked).toBe(2);
    expect(await isSettled(workspace.ready())).toBe(true);
    await clock.advanceAndSettle(askSilentAfter);
    expect(client.asked).toBe(3);
  });

  test('a silent request older than the ready timeout does not hold back a newer one, and its answer is dropped then', async () => {
    const tree = makeTree('old', 'new');
    const { workspace, client, clock } = await connectAsked();
    await clock.advanceAndSettle(readyTimeout);
    workspace.rootsChanged();
    expect(client.asked).toBe(2);
    expect(client.calls[0]?.signal.aborted).toBe(true);
    await client.answer([tree('old')], 1);
    expect(pathsOf(workspace)).toEqual([]);
    await client.answer([tree('new')], 2);
    expect(pathsOf(workspace)).toEqual([tree('new')]);
  });

  test('a notification during a silent request goes out when that request is older than the ready timeout', async () => {
    const { workspace, client, clock } = await connectAsked();
    await clock.advanceAndSettle(readyTimeout / 2);
    workspace.rootsChanged();
    expect(client.asked).toBe(1);
    const call = workspace.ready();
    await clock.advanceAndSettle(readyTimeout / 2);
    expect(client.asked).toBe(2);
    expect(await isSettled(call)).toBe(false);
  });
});

describe('notifications', () => {
  test('5,000 in one tick give at most 2 requests, and the final state is the last list of the client', async () => {
    const tree = makeTree('early', 'last');
    const { workspace, client, clock } = await connectAsked();
    await client.answer([]);
    await clock.advanceAndSettle(1_000);
    for (let count = 0; count < 5_000; count += 1) workspace.rootsChanged();
    expect(client.asked).toBe(2);
    await client.answer([tree('early')]);
    const call = workspace.ready();
    await clock.advanceAndSettle(100);
    expect(client.asked).toBe(3);
    await client.answer([tree('last')]);
    expect((await call).roots.map((root) => root.path)).toEqual([tree('last')]);
    await clock.advanceAndSettle(10_000);
    expect(client.asked).toBe(3);
    expect(workspace.stats().notifications).toEqual({ received: 5_000, coalesced: 4_998 });
  });

  test('one during a request leads to exactly one more', async () => {
    const tree = makeTree('a', 'b');
    const { workspace, client, clock } = await connectAsked();
    workspace.rootsChanged();
    expect(client.asked).toBe(1);
    await client.answer([tree('a')]);
    expect(client.asked).toBe(2);
    await client.answer([tree('b')]);
    await clock.advanceAndSettle(10_000);
    expect(client.asked).toBe(2);
    expect(pathsOf(workspace)).toEqual([tree('b')]);
  });

  test('the first after quiet goes at once, and ready() waits for a postponed one', async () => {
    const tree = makeTree('a', 'b');
    const { workspace, client, clock } = await connectAsked();
    await client.answer([]);
    workspace.rootsChanged();
    expect(client.asked).toBe(2);
    await client.answer([tree('a')]);
    await clock.advanceAndSettle(40);
    workspace.rootsChanged();
    expect(client.asked).toBe(2);
    const call = workspace.ready();
    await clock.advanceAndSettle(59);
    expect(client.asked).toBe(2);
    await clock.advanceAndSettle(1);
    expect(client.asked).toBe(3);
    expect(await isSettled(call)).toBe(false);
    await client.answer([tree('b')]);
    expect((await call).roots[0]?.path).toBe(tree('b'));
  });

  test('a call that is let go while a request is postponed does not make the client count as silent', async () => {
    const { workspace, client, clock } = await connectAsked({ limits: { readyTimeout: 50 } });
    await client.answer([]);
    workspace.rootsChanged();
    await client.answer([]);
    workspace.rootsChanged();
    const call = workspace.ready();
    await clock.advanceAndSettle(50);
    expect(await isSettled(call)).toBe(true);
    expect(client.asked).toBe(2);
    expect(await isSettled(workspace.ready())).toBe(false);
    await clock.advanceAndSettle(50);
    expect(client.asked).toBe(3);
    await client.answer([]);
  });

  test('snapshot() serves the previous roots while a refresh is out', async () => {
    const tree = makeTree('a', 'b');
    const { workspace, client } = await connectAsked();
    await client.answer([tree('a')]);
    workspace.rootsChanged();
    expect(pathsOf(workspace)).toEqual([tree('a')]);
    expect(await isSettled(workspace.ready())).toBe(false);
  });

  test('one is honoured although listChanged was not advertised', async () => {
    const { workspace, client } = await connect();
    workspace.clientDeclared({ roots: true, listChanged: false });
    workspace.clientReady();
    await client.answer([]);
    workspace.rootsChanged();
    expect(client.asked).toBe(2);
  });
});

describe('answers that give nothing', () => {
  test.each([
    ['null', null],
    ['a string', 'file:///tmp'],
    ['{}', {}],
    ['roots: "x"', { roots: 'x' }],
    ['a list of strings', { roots: ['file:///tmp', '/tmp'] }],
    ['a bare list', ['file:///tmp']],
    ['undefined', undefined],
  ])('a malformed one (%s) keeps the previous roots, quietly', async (_, result) => {
    const tree = makeTree('a');
    const warnings: string[] = [];
    const log = {
      debug() {},
      info: (text: string) => warnings.push(text),
      warn: (text: string) => warnings.push(text),
    };
    const { workspace, client } = await connectAsked({ log });
    await client.answer([tree('a')]);
    workspace.rootsChanged();
    const call = workspace.ready();
    await client.result(result);
    expect((await call).client).toBe('malformed');
    expect(pathsOf(workspace)).toEqual([tree('a')]);
    expect(warnings).toEqual([]);
    expect(workspace.stats().failures.malformed).toBe(1);
  });

  test('a client whose answer was malformed is asked again by the next ready() after 5 minutes', async () => {
    const { workspace, client, clock } = await connectAsked();
    await client.result(null);
    await clock.advanceAndSettle(freshFor - 1);
    await workspace.ready();
    expect(client.asked).toBe(1);
    await clock.advanceAndSettle(1);
    const call = workspace.ready();
    expect(client.asked).toBe(2);
    await client.answer([]);
    expect((await call).client).toBe('empty');
  });

  test('an error keeps the previous roots, and the client is asked again only after a notification', async () => {
    const tree = makeTree('a');
    const { workspace, client, clock } = await connectAsked();
    await client.answer([tree('a')]);
    workspace.rootsChanged();
    await client.error(-32603);
    expect(workspace.snapshot().client).toBe('refused');
    expect(pathsOf(workspace)).toEqual([tree('a')]);
    await clock.advanceAndSettle(freshFor * 3);
    expect(await isSettled(workspace.ready())).toBe(true);
    expect(client.asked).toBe(2);
    workspace.rootsChanged();
    expect(client.asked).toBe(3);
  });

  test('-32601 within the first second is retried once, after 250 ms, and ready() waits for that', async () => {
    const tree = makeTree('a');
    const { workspace, client, clock } = await connectAsked();
    await clock.advanceAndSettle(900);
    await client.error(METHOD_NOT_FOUND);
    const call = workspace.ready();
    await clock.advanceAndSettle(249);
    expect(client.asked).toBe(1);
    await clock.advanceAndSettle(1);
    expect(client.asked).toBe(2);
    expect(await isSettled(call)).toBe(false);
    await client.answer([tree('a')]);
    expect((await call).roots).toHaveLength(1);
  });

  test('-32601 is not retried a second time', async () => {
    const { workspace, client, clock } = await connectAsked();
    await client.error(METHOD_NOT_FOUND);
    await clock.advanceAndSettle(250);
    await client.error(METHOD_NOT_FOUND);
    await clock.advanceAndSettle(10_000);
    expect(client.asked).toBe(2);
    expect(workspace.snapshot().client).toBe('refused');
  });

  test('-32601 after the first second is a refusal', async () => {
    const { workspace, client, clock } = await connectAsked();
    await clock.advanceAndSettle(1_001);
    await client.error(METHOD_NOT_FOUND);
    await clock.advanceAndSettle(10_000);
    expect(client.asked).toBe(1);
    expect(workspace.snapshot().client).toBe('refused');
    expect(await isSettled(workspace.ready())).toBe(true);
  });

  test('a request that got lost on the way counts as silence', async () => {
    const { workspace, client, clock } = await connectAsked();
    await client.error(undefined);
    expect(workspace.snapshot().client).toBe('silent');
    expect(await isSettled(workspace.ready())).toBe(true);
    await clock.advanceAndSettle(askSilentAfter);
    expect(client.asked).toBe(2);
  });

  test('a request that got lost is no silence when a notification came after it: its request is waited for', async () => {
    const tree = makeTree('a');
    const { workspace, client } = await connectAsked();
    workspace.rootsChanged();
    await client.error(undefined);
    expect(client.asked).toBe(2);
    const call = workspace.ready();
    expect(await isSettled(call)).toBe(false);
    await client.answer([tree('a')]);
    expect((await call).roots).toHaveLength(1);
  });

  test('a port that throws at once counts as silence too', async () => {
    const { workspace } = await connect({
      port: {
        ask() {
          throw new Error('not connected');
        },
      },
    });
    workspace.clientDeclared({ roots: true });
    workspace.clientReady();
    await settle();
    expect(workspace.snapshot().client).toBe('silent');
  });

  test('one bad root among good ones is rejected alone', async () => {
    const tree = makeTree('a', 'b');
    const { workspace, client } = await connectAsked();
    await client.result({
      roots: [
        { uri: `file://${tree('a')}` },
        { uri: 'https://example.com' },
        { uri: `file://${tree('missing')}` },
        'nonsense',
        { uri: `file://${tree('b')}` },
      ],
    });
    expect(pathsOf(workspace)).toEqual([tree('a'), tree('b')]);
    expect(workspace.snapshot().rejected.map(({ reason }) => reason)).toEqual([
      'not-a-file-uri',
      'not-found',
      'malformed',
    ]);
  });
});

describe('order of answers', () => {
  test('the slower, older answer never overwrites the newer one', async () => {
    const tree = makeTree('old', 'new');
    const { workspace, client, clock } = await connectAsked();
    await clock.advanceAndSettle(readyTimeout);
    workspace.rootsChanged();
    await client.answer([tree('new')], 2);
    await client.answer([tree('old')], 1);
    expect(pathsOf(workspace)).toEqual([tree('new')]);
  });

  test('a lookup on the disk that ends late does not overwrite a newer answer', async () => {
    const tree = makeTree('slow', 'fast');
    const lookups: { path: string; finish: () => void }[] = [];
    const { workspace, client, clock } = await connectAsked({
      disk: {
        realpath: (path) =>
          path.includes('slow')
            ? new Promise((resolve) => {
                lookups.push({ path, finish: () => resolve(path) });
              })
            : Promise.resolve(path),
        inspect: () => 'directory',
      },
    });
    await client.answer([tree('slow')], 1);
    await clock.advanceAndSettle(readyTimeout);
    workspace.rootsChanged();
    await client.answer([tree('fast')], 2);
    expect(pathsOf(workspace)).toEqual([tree('fast')]);
    for (const { finish } of lookups) finish();
    await settle();
    expect(lookups.length).toBeGreaterThan(0);
    expect(pathsOf(workspace)).toEqual([tree('fast')]);
  });
});

async function connectSlowly() {
  const tree = makeTree('a');
  const gate = new Deferred();
  const connection = await connectAsked({
    disk: {
      realpath: (path) => (path === tree('a') ? gate.promise.then(() => path) : Promise.resolve(path)),
      inspect: () => 'directory',
    },
  });
  return { ...connection, gate, path: tree('a') };
}

describe('a disk that is slow', () => {
  test('makes a call wait no longer than readyTimeout, is no silence, and its roots count when it is done', async () => {
    const { workspace, client, clock, gate, path } = await connectSlowly();
    const call = workspace.ready();
    await client.answer([path]);
    await clock.advanceAndSettle(readyTimeout - 1);
    expect(await isSettled(call)).toBe(false);
    await clock.advanceAndSettle(1);
    expect(await isSettled(call)).toBe(true);
    expect(workspace.stats().failures.silent).toBe(0);
    expect(await isSettled(workspace.ready())).toBe(true);
    expect(client.asked).toBe(1);
    gate.resolve();
    await settle();
    expect(pathsOf(workspace)).toEqual([path]);
  });

  test('that never ends is given up after answerTimeout, and told of', async () => {
    const { workspace, client, clock, path } = await connectSlowly();
    await client.answer([path]);
    await clock.advanceAndSettle(answerTimeout);
    expect(workspace.snapshot().client).toBe('malformed');
    expect(workspace.stats().failures.unreadable).toBe(1);
    expect(clock.timers).toBe(0);
  });
});

describe('a reader of its own', () => {
  test('one that fails keeps the previous roots, and the answer counts as malformed', async () => {
    const tree = makeTree('a', 'b');
    let broken = false;
    const { workspace, client } = await connectAsked({
      readClientRoots: (entries, options) =>
        broken ? Promise.reject(new Error('disk on fire')) : readRoots(entries, options),
    });
    await client.answer([tree('a')]);
    broken = true;
    workspace.rootsChanged();
    const call = workspace.ready();
    await client.answer([tree('b')]);
    expect((await call).client).toBe('malformed');
    expect(pathsOf(workspace)).toEqual([tree('a')]);
    expect(workspace.stats().failures.unreadable).toBe(1);
  });

  test('one that does not mind being aborted cannot bring an older answer back', async () => {
    const tree = makeTree('slow', 'fast');
    const gate = new Deferred();
    const { workspace, client, clock } = await connectAsked({
      async readClientRoots(entries, options) {
        const list = await readRoots(entries, {
          source: options.source,
          home: options.home,
          disk: promptDisk,
        });
        if (JSON.stringify(entries).includes('slow')) await gate.promise;
        return list;
      },
    });
    await client.answer([tree('slow')]);
    await clock.advanceAndSettle(readyTimeout);
    workspace.rootsChanged();
    await client.answer([tree('fast')]);
    expect(pathsOf(workspace)).toEqual([tree('fast')]);
    gate.resolve();
    await settle();
    expect(pathsOf(workspace)).toEqual([tree('fast')]);
  });
});

describe('an answer that comes another way', () => {
  test('while a change is announced keeps the request that was due after it from being sent', async () => {
    const tree = makeTree('asked', 'handed');
    const { workspace, client, clock } = await connectAsked();
    const answer = { result: { roots: [{ uri: pathToFileURL(tree('handed')).href }] } };
    const listening = workspace.onDidChange(() => {
      listening.dispose();
      void workspace.useAnswer(answer);
    });
    workspace.rootsChanged();
    await client.answer([tree('asked')]);
    await clock.advanceAndSettle(10_000);
    expect(client.asked).toBe(1);
    expect(pathsOf(workspace)).toEqual([tree('handed')]);
  });

  test('aborts the request that is out and makes the one that is due needless', async () => {
    const tree = makeTree('handed', 'asked');
    const { workspace, client, clock } = await connectAsked();
    workspace.rootsChanged();
    await workspace.useAnswer({ result: { roots: [{ uri: pathToFileURL(tree('handed')).href }] } });
    expect(client.calls[0]?.signal.aborted).toBe(true);
    await client.answer([tree('asked')]);
    await clock.advanceAndSettle(10_000);
    expect(client.asked).toBe(1);
    expect(pathsOf(workspace)).toEqual([tree('handed')]);
  });
});

test('whoever waits for an answer that came another way can stop waiting', async () => {
  const { workspace, path } = await connectSlowly();
  const controller = new AbortController();
  const answer = { result: { roots: [{ uri: pathToFileURL(path).href }] } };
  const using = workspace.useAnswer(answer, controller.signal);
  controller.abort();
  await expect(using).rejects.toMatchObject({ name: 'AbortError' });
});

test('a workspace disposed while a handle is looked up does not take it', async () => {
  const { workspace, gate, path } = await connectSlowly();
  const taking = workspace.useHandle([{ path }]);
  workspace.dispose();
  gate.resolve();
  await expect(taking).rejects.toMatchObject({ code: 'disposed' });
  expect(pathsOf(workspace)).toEqual([]);
});

describe('freshness', () => {
  test.each([true, false])(
    'an answer is fresh for 5 minutes, then the next ready() asks again (listChanged: %s)',
    async (listChanged) => {
      const tree = makeTree('a', 'b');
      const { workspace, client, clock } = await connect();
      workspace.clientDeclared({ roots: true, listChanged });
      workspace.clientReady();
      await client.answer([tree('a')]);
      await clock.advanceAndSettle(freshFor - 1);
      await workspace.ready();
      expect(client.asked).toBe(1);
      await clock.advanceAndSettle(1);
      expect(client.asked).toBe(1);
      const call = workspace.ready();
      expect(client.asked).toBe(2);
      expect(await isSettled(call)).toBe(false);
      await client.answer([tree('b')]);
      expect((await call).roots[0]?.path).toBe(tree('b'));
    },
  );

  test('invalidate() makes the next ready() ask again, and only that', async () => {
    const tree = makeTree('a');
    const { workspace, client } = await connectAsked();
    await client.answer([tree('a')]);
    workspace.invalidate('settings changed');
    expect(client.asked).toBe(1);
    const call = workspace.ready();
    expect(client.asked).toBe(2);
    await client.answer([tree('a')]);
    await call;
    await workspace.ready();
    expect(client.asked).toBe(2);
  });

  test('invalidate() asks even a client that refused or was silent, without waiting for the silent one', async () => {
    const { workspace, client, clock } = await connectAsked();
    await client.error(-32603);
    workspace.invalidate('retry');
    const call = workspace.ready();
    expect(client.asked).toBe(2);
    await clock.advanceAndSettle(readyTimeout);
    await call;
    workspace.invalidate('retry');
    expect(await isSettled(workspace.ready())).toBe(true);
    expect(client.asked).toBe(3);
  });
});

describe('a port that is open during a call only', () => {
  test('nothing is asked outside a call, and a notification only marks the answer as stale', async () => {
    const tree = makeTree('a', 'b');
    const { workspace, client, clock } = await connect({ standing: false });
    workspace.clientDeclared({ roots: true });
    workspace.clientReady();
    expect(await isSettled(workspace.ready())).toBe(true);
    expect(client.asked).toBe(0);

    const call = workspace.ready({ port: client });
    expect(client.asked).toBe(1);
    await client.answer([tree('a')]);
    expect((await call).roots[0]?.path).toBe(tree('a'));

    workspace.rootsChanged();
    await clock.advanceAndSettle(10_000);
    expect(client.asked).toBe(1);
    expect(await isSettled(workspace.ready())).toBe(true);
    const next = workspace.ready({ port: client });
    expect(client.asked).toBe(2);
    await client.answer([tree('b')]);
    expect((await next).roots[0]?.path).toBe(tree('b'));
  });

  test('a call that comes before the client is ready carries the request once it is', async () => {
    const tree = makeTree('a');
    const { workspace, client } = await connect({ standing: false });
    const call = workspace.ready({ port: client });
    workspace.clientDeclared({ roots: true });
    expect(client.asked).toBe(0);
    workspace.clientReady();
    expect(client.asked).toBe(1);
    await client.answer([tree('a')]);
    expect((await call).roots).toHaveLength(1);
  });

  test('an early -32601 is retried through the call that still waits', async () => {
    const tree = makeTree('a');
    const { workspace, client, clock } = await connect({ standing: false });
    workspace.clientDeclared({ roots: true });
    workspace.clientReady();
    const call = workspace.ready({ port: client });
    await client.error(METHOD_NOT_FOUND);
    await clock.advanceAndSettle(250);
    expect(client.asked).toBe(2);
    await client.answer([tree('a')]);
    expect((await call).roots).toHaveLength(1);
  });

  test('a notification while a call waits is answered through that call', async () => {
    const tree = makeTree('a', 'b');
    const { workspace, client } = await connect({ standing: false });
    workspace.clientDeclared({ roots: true });
    workspace.clientReady();
    const call = workspace.ready({ port: client });
    workspace.rootsChanged();
    await client.answer([tree('a')]);
    expect(client.asked).toBe(2);
    await client.answer([tree('b')]);
    expect((await call).roots[0]?.path).toBe(tree('b'));
  });

  test('a fresh answer is used without a request', async () => {
    const { workspace, client } = await connect({ standing: false });
    workspace.clientDeclared({ roots: true });
    workspace.clientReady();
    const call = workspace.ready({ port: client });
    await client.answer([]);
    await call;
    await workspace.ready({ port: client });
    expect(client.asked).toBe(1);
  });

  test('the port of a call that is over is never used, whether the call waited or not', async () => {
    const { workspace, client, clock } = await connect({ standing: false });
    workspace.clientDeclared({ roots: true });
    workspace.clientReady();
    const call = workspace.ready({ port: client });
    await client.answer([]);
    await call;
    await workspace.ready({ port: client });
    workspace.rootsChanged();
    await clock.advanceAndSettle(askSilentAfter);
    expect(client.asked).toBe(1);
  });

  test('of several waiting calls the latest carries a request', async () => {
    const tree = makeTree('a');
    const { workspace, client: first } = await connect({ standing: false });
    const second = new ScriptedClient();
    const calls = [workspace.ready({ port: first }), workspace.ready({ port: second })];
    workspace.clientDeclared({ roots: true });
    workspace.clientReady();
    expect([first.asked, second.asked]).toEqual([0, 1]);
    await second.answer([tree('a')]);
    for (const call of calls) expect((await call).roots).toHaveLength(1);
  });

  test('when the call that carries the request is cancelled, another waiting call asks again', async () => {
    const tree = makeTree('a');
    const { workspace, client: first } = await connect({ standing: false });
    const second = new ScriptedClient();
    workspace.clientDeclared({ roots: true });
    workspace.clientReady();
    const controller = new AbortController();
    const cancelled = workspace.ready({ port: first, signal: controller.signal });
    const other = workspace.ready({ port: second });
    expect([first.asked, second.asked]).toEqual([1, 0]);
    controller.abort();
    await expect(cancelled).rejects.toMatchObject({ name: 'AbortError' });
    expect([first.asked, second.asked]).toEqual([1, 1]);
    await second.answer([tree('a')]);
    expect((await other).roots).toHaveLength(1);
  });

  test('a client that never answers stalls one call once, and is asked again in a call after 5 minutes', async () => {
    const { workspace, client, clock } = await connect({ standing: false });
    workspace.clientDeclared({ roots: true });
    workspace.clientReady();
    const call = workspace.ready({ port: client });
    await clock.advanceAndSettle(readyTimeout);
    expect((await call).client).toBe('silent');
    expect(await isSettled(workspace.ready({ port: client }))).toBe(true);
    expect(client.asked).toBe(1);
    await clock.advanceAndSettle(askSilentAfter);
    expect(client.asked).toBe(1);
    expect(await isSettled(workspace.ready({ port: client }))).toBe(true);
    expect(client.asked).toBe(2);
  });
});

describe('dispose()', () => {
  test('with a request out it settles everything and leaves no timer', async () => {
    const { workspace, client, clock } = await connectAsked();
    const calls = [workspace.ready(), workspace.ready({ signal: new AbortController().signal })];
    workspace.rootsChanged();
    expect(clock.timers).toBe(1);
    workspace.dispose();
    expect(clock.timers).toBe(0);
    expect(client.calls[0]?.signal.aborted).toBe(true);
    for (const call of calls) await expect(call).rejects.toMatchObject({ code: 'disposed' });
    await expect(workspace.ready()).rejects.toMatchObject({ code: 'disposed' });
  });

  test('nothing happens afterwards, and disposing twice is harmless', async () => {
    const tree = makeTree('a');
    const { workspace, client, clock } = await connectAsked();
    const changes: unknown[] = [];
    workspace.onDidChange((change) => changes.push(change));
    workspace[Symbol.dispose]();
    workspace.dispose();
    await client.answer([tree('a')]);
    workspace.rootsChanged();
    workspace.clientReady();
    await clock.advanceAndSettle(askSilentAfter * 2);
    expect(client.asked).toBe(1);
    expect(changes).toEqual([]);
    expect(pathsOf(workspace)).toEqual([]);
  });

  test('in a listener it holds back the request that was due after that change', async () => {
    const tree = makeTree('a');
    const { workspace, client, clock } = await connectAsked();
    workspace.rootsChanged();
    workspace.onDidChange(() => workspace.dispose());
    await client.answer([tree('a')]);
    expect(client.asked).toBe(1);
    expect(clock.timers).toBe(0);
  });

  test('an answer that is being looked up on the disk is dropped', async () => {
    const tree = makeTree('a');
    const gate = new Deferred();
    const { workspace, client, clock } = await connectAsked({
      disk: {
        realpath: (path) => (path === tree('a') ? gate.promise.then(() => path) : Promise.resolve(path)),
        inspect: () => 'directory',
      },
    });
    await client.answer([tree('a')]);
    workspace.dispose();
    gate.resolve();
    await settle();
    expect(pathsOf(workspace)).toEqual([]);
    expect(clock.timers).toBe(0);
  });

  test('a workspace at rest has no timer', async () => {
    const tree = makeTree('a');
    const { client, clock } = await connectAsked();
    await client.answer([tree('a')]);
    expect(clock.timers).toBe(0);
  });
});
