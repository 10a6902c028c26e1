import { describe, expect, test } from 'vitest';
import { settle } from '../../../../../testing/fake-clock.js';
import { defaultLimits } from '../../../src/workspace/limits.js';
import { connect, connectAsked, isSettled, makeTree, pathsOf } from '../scripted-client.js';

const { freshFor, askSilentAfter } = defaultLimits;
const METHOD_NOT_FOUND = -32601;

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

  test('a port that gives up after a time of its own counts as silence, not as a refusal', async () => {
    const { workspace } = await connectAsked({
      port: { ask: () => Promise.reject(new DOMException('timed out', 'TimeoutError')) },
    });
    await settle();
    expect(workspace.snapshot().client).toBe('silent');
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
