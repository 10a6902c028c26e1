import { describe, expect, test } from 'vitest';
import { defaultLimits } from '../../../src/workspace/limits.js';
import { connect, connectAsked, isSettled, makeTree } from '../scripted-client.js';

const { readyTimeout, freshFor } = defaultLimits;

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

  test('invalidate() during a request makes the next ready() ask again after it, and wait for that', async () => {
    const tree = makeTree('a', 'b');
    const { workspace, client } = await connectAsked();
    workspace.invalidate('settings changed');
    const call = workspace.ready();
    await client.answer([tree('a')]);
    expect(client.asked).toBe(2);
    expect(await isSettled(call)).toBe(false);
    await client.answer([tree('b')]);
    expect((await call).roots[0]?.path).toBe(tree('b'));
    await workspace.ready();
    expect(client.asked).toBe(2);
  });

  test.each(['answered', 'malformed', 'refused'])(
    'invalidate() during a request that is then %s makes the next ready() ask again, and only that',
    async (outcome) => {
      const tree = makeTree('a');
      const { workspace, client } = await connectAsked();
      workspace.invalidate('settings changed');
      if (outcome === 'answered') await client.answer([tree('a')]);
      else if (outcome === 'malformed') await client.result(7);
      else await client.error(-32603);
      expect(client.asked).toBe(1);
      const call = workspace.ready();
      expect(client.asked).toBe(2);
      await client.answer([tree('a')]);
      await call;
      await workspace.ready();
      expect(client.asked).toBe(2);
    },
  );

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
