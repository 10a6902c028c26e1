import { describe, expect, test } from 'vitest';
import type { LogFields } from '../../../src/platform/logger.js';
import type { WorkspaceChange } from '../../../src/workspace/changes/change.js';
import { Deferred } from '../../../src/platform/async.js';
import { defaultLimits } from '../../../src/workspace/limits.js';
import { settle } from '../../../../../testing/fake-clock.js';
import { changeTo, connectAsked, makeTree, type Connection } from '../scripted-client.js';

const { followerTimeout } = defaultLimits;

interface Stage extends Connection {
  readonly warnings: readonly string[];
}

/** Keeps what is said above debug, as `message: follower`. */
async function connectLogging(limits: { readonly followerTimeout?: number } = {}): Promise<Stage> {
  const warnings: string[] = [];
  const warn = (message: string, fields?: LogFields): void =>
    void warnings.push(`${message}: ${String(fields?.['follower'])}`);
  return { ...(await connectAsked({ limits, log: { debug() {}, info() {}, warn } })), warnings };
}

/** A follower that ends when the gate opens, and from then on at once. */
function followHanging({ workspace }: Connection): {
  readonly gate: Deferred;
  readonly seen: WorkspaceChange[];
} {
  const gate = new Deferred();
  const seen: WorkspaceChange[] = [];
  workspace.follow({
    name: 'hangs',
    apply(change) {
      seen.push(change);
      return gate.promise;
    },
  });
  return { gate, seen };
}

function followPromptly({ workspace }: Connection): number[] {
  const epochs: number[] = [];
  workspace.follow({ name: 'prompt', apply: ({ snapshot }) => void epochs.push(snapshot.epoch) });
  return epochs;
}

describe('a follower that does not end in time', () => {
  test('holds up neither the others nor the next change, and is warned of once', async () => {
    const tree = makeTree('a', 'b', 'c');
    const stage = await connectLogging();
    const { seen } = followHanging(stage);
    const epochs = followPromptly(stage);
    await changeTo(stage, [[tree('a')]]);
    await stage.clock.advanceAndSettle(followerTimeout - 1);
    expect([epochs, stage.warnings]).toEqual([[], []]);
    await stage.clock.advanceAndSettle(1);
    expect([epochs, stage.warnings]).toEqual([[1], ['follower did not end in time: hangs']]);
    await changeTo(stage, [[tree('b')], [tree('c')]]);
    await stage.workspace.followed();
    await stage.clock.advanceAndSettle(10 * followerTimeout);
    expect(epochs).toEqual([1, 2, 3]);
    expect(seen).toHaveLength(1);
    expect(stage.warnings).toHaveLength(1);
    expect(stage.clock.timers).toBe(0);
  });

  test('gets what it missed as one change when it has ended', async () => {
    const tree = makeTree('a', 'b', 'c');
    const stage = await connectLogging();
    const { gate, seen } = followHanging(stage);
    await changeTo(stage, [[tree('a')]]);
    await stage.clock.advanceAndSettle(followerTimeout);
    await changeTo(stage, [[tree('a'), tree('b')], [tree('c')]]);
    gate.resolve();
    await settle();
    await stage.workspace.followed();
    expect(
      seen.map(({ added, removed, snapshot }) => [added.length, removed.length, snapshot.epoch]),
    ).toEqual([
      [1, 0, 1],
      [1, 1, 3],
    ]);
    expect(seen[1]).toMatchObject({
      added: [{ path: tree('c') }],
      removed: [{ path: tree('a') }],
      primaryChanged: true,
      reason: 'answer',
    });
    expect(seen[1]?.snapshot).toBe(stage.workspace.snapshot());
  });

  test('is left in peace when what it missed came to nothing, and sees the next change', async () => {
    const tree = makeTree('a', 'b');
    const stage = await connectLogging();
    const { gate, seen } = followHanging(stage);
    await changeTo(stage, [[tree('a')]]);
    await stage.clock.advanceAndSettle(followerTimeout);
    await changeTo(stage, [[tree('b')], [tree('a')]]);
    gate.resolve();
    await settle();
    expect(seen).toHaveLength(1);
    await changeTo(stage, [[tree('b')]]);
    await stage.workspace.followed();
    expect(seen.map(({ snapshot }) => snapshot.epoch)).toEqual([1, 4]);
    expect(seen[1]).toMatchObject({ added: [{ path: tree('b') }], removed: [{ path: tree('a') }] });
  });

  test('that ends while later changes wait for someone else gets the latest of them, and none twice', async () => {
    const tree = makeTree('a', 'b', 'c');
    const stage = await connectLogging();
    const { gate, seen } = followHanging(stage);
    const slow = new Deferred();
    stage.workspace.follow({
      name: 'slow',
      apply: ({ snapshot }) => (snapshot.epoch === 2 ? slow.promise : undefined),
    });
    await changeTo(stage, [[tree('a')]]);
    await stage.clock.advanceAndSettle(followerTimeout);
    await changeTo(stage, [[tree('b')], [tree('c')]]);
    gate.resolve();
    await settle();
    expect(seen).toHaveLength(1);
    slow.resolve();
    await stage.workspace.followed();
    expect(seen.map(({ snapshot }) => snapshot.epoch)).toEqual([1, 3]);
    expect(seen[1]).toMatchObject({ added: [{ path: tree('c') }], removed: [{ path: tree('a') }] });
  });

  test('is warned of again each time, and of its failure as well', async () => {
    const tree = makeTree('a', 'b');
    const stage = await connectLogging();
    const gates = [new Deferred(), new Deferred()];
    let runs = 0;
    stage.workspace.follow({
      name: 'hangs',
      async apply() {
        await gates[runs++]?.promise;
        throw new Error('broken');
      },
    });
    await changeTo(stage, [[tree('a')]]);
    await stage.clock.advanceAndSettle(followerTimeout);
    await changeTo(stage, [[tree('b')]]);
    gates[0]?.resolve();
    await settle();
    await stage.clock.advanceAndSettle(followerTimeout);
    gates[1]?.resolve();
    await settle();
    expect(runs).toBe(2);
    expect(stage.warnings).toEqual([
      'follower did not end in time: hangs',
      'follower failed: hangs',
      'follower did not end in time: hangs',
      'follower failed: hangs',
    ]);
  });

  test('that is let go does not come back', async () => {
    const tree = makeTree('a', 'b');
    const stage = await connectLogging();
    const gate = new Deferred();
    let runs = 0;
    const hanging = stage.workspace.follow({
      name: 'hangs',
      apply() {
        runs += 1;
        return gate.promise;
      },
    });
    await changeTo(stage, [[tree('a')]]);
    await stage.clock.advanceAndSettle(followerTimeout);
    await changeTo(stage, [[tree('b')]]);
    hanging.dispose();
    gate.resolve();
    await settle();
    await stage.workspace.followed();
    expect(runs).toBe(1);
  });

  test('is given as long as the limits say', async () => {
    const tree = makeTree('a');
    const stage = await connectLogging({ followerTimeout: 50 });
    followHanging(stage);
    const epochs = followPromptly(stage);
    await changeTo(stage, [[tree('a')]]);
    await stage.clock.advanceAndSettle(50);
    expect(epochs).toEqual([1]);
  });
});

test('dispose() leaves no timer of a follower under way', async () => {
  const tree = makeTree('a');
  const stage = await connectLogging();
  followHanging(stage);
  await changeTo(stage, [[tree('a')]]);
  expect(stage.clock.timers).toBe(1);
  stage.workspace.dispose();
  expect(stage.clock.timers).toBe(0);
});
