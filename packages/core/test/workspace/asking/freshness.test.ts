import { describe, expect, test } from 'vitest';
import { defaultLimits } from '../../../src/workspace/limits.js';
import { connectAsked, isSettled, makeTree } from '../scripted-client.js';

const { readyTimeout } = defaultLimits;

describe('freshness', () => {
  test.each([
    // The first answer counts as at most 50 ms.
    { took: [0], fresh: 250 },
    { took: [20], fresh: 2_000 },
    { took: [1_000], fresh: 5_000 },
    // The shortest of the last five decides.
    { took: [10, 1_000, 1_000], fresh: 1_000 },
    { took: [10, 400, 300, 200, 500, 600], fresh: 20_000 },
    { took: [10, 1_900, 1_900, 1_900, 1_900, 1_900], fresh: 190_000 },
  ])('an answer is fresh for as long as follows from what asking costs: $took', async ({ took, fresh }) => {
    const tree = makeTree('a', 'b');
    const { workspace, client, clock } = await connectAsked();
    for (const [index, duration] of took.entries()) {
      if (index > 0) workspace.rootsChanged();
      await clock.advanceAndSettle(duration);
      await client.answer([tree('a')]);
      await clock.advanceAndSettle(200);
    }
    await clock.advanceAndSettle(fresh - 201);
    await workspace.ready();
    expect(client.asked).toBe(took.length);
    await clock.advanceAndSettle(1);
    expect(client.asked).toBe(took.length);
    const call = workspace.ready();
    expect(client.asked).toBe(took.length + 1);
    expect(await isSettled(call)).toBe(false);
    await client.answer([tree('b')]);
    expect((await call).roots[0]?.path).toBe(tree('b'));
  });

  test('an answer is never fresh for longer than freshFor', async () => {
    const tree = makeTree('a');
    const { workspace, client, clock } = await connectAsked({ limits: { freshFor: 100 } });
    await client.answer([tree('a')]);
    await clock.advanceAndSettle(100);
    const call = workspace.ready();
    expect(client.asked).toBe(2);
    await client.answer([tree('a')]);
    await call;
  });

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
