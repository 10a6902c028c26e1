import { pathToFileURL } from 'node:url';
import * as fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import type { KeptWorkspace } from '../../src/index.js';
import { Workspace } from '../../src/workspace/workspace.js';
import type { SourcesOptions } from '../../src/sources/read-sources.js';
import { Deferred } from '../../src/platform/async.js';
import { readFrom } from '../sources/read-from.js';
import { settle } from '../../../../testing/fake-clock.js';
import {
  clientNames,
  clientSays,
  connectAsked,
  keptAnswer,
  makeTree,
  pathsOf,
  promptDisk,
} from './scripted-client.js';

const FAILED = ['refused', 'silent', 'malformed'] as const;
const REFUSAL = { error: { code: -32603 } };
const neverAsked = { ask: () => Promise.reject(new Error('asked again')) };

/** Several workspaces of one client. */
async function openAll(count: number, options: Partial<SourcesOptions>): Promise<readonly Workspace[]> {
  const sources = await readFrom({ disk: promptDisk, ...options });
  return Array.from({ length: count }, () => {
    const workspace = new Workspace({ sources, limits: { spacing: 0 } });
    onTestFinished(() => workspace.dispose());
    workspace.clientDeclared({ roots: true });
    workspace.clientReady();
    return workspace;
  });
}

/** Two workspaces whose client told each of them something else, after they were merged. */
async function disputing(options: Partial<SourcesOptions>, one: readonly string[], two: readonly string[]) {
  const [first, second, third] = await openAll(3, options);
  await clientNames(first!, ...one);
  await clientNames(second!, ...two);
  await second!.restore(first!.keep(), { since: {} });
  return { second: second!, third: third! };
}

test('restore() leaves no root where two answers have none in common, until the client answers again', async () => {
  const tree = makeTree('top/a', 'top/b');
  const operator = { roots: [tree('top')], within: [tree('top')] };
  const { second, third } = await disputing(operator, [tree('top/a')], [tree('top/b')]);
  expect(pathsOf(second)).toEqual([]);
  expect(second.explain()).toContain('gave no root to all instances');
  await clientSays(second, REFUSAL);
  await third.restore(second.keep());
  expect([pathsOf(second), pathsOf(third), third.snapshot().client]).toEqual([[], [], 'refused']);
  await clientNames(third, tree('top/b'));
  expect(pathsOf(third)).toEqual([tree('top/b')]);
  await clientNames(third);
  expect(pathsOf(third)).toEqual([tree('top')]);
});

test('restore() puts no operator root in the place of two answers whose common part is not valid', async () => {
  const tree = makeTree('top/a');
  const [a, missing] = [tree('top/a'), tree('top/missing')];
  const { second } = await disputing({ roots: [tree('top')] }, [a, missing], [missing]);
  expect(pathsOf(second)).toEqual([]);
});

test('restore() lets the operator in after an empty answer that was saved, whatever was heard elsewhere since', async () => {
  const tree = makeTree('top/a', 'top/b');
  const [first, second] = await openAll(2, { roots: [tree('top')] });
  await clientNames(first!, tree('top/a'));
  await clientNames(first!);
  const kept = first!.keep();
  // Never saved, so that the other one cannot know of it.
  await clientNames(first!, tree('top/b'));
  await second!.restore(kept, { since: {} });
  expect([pathsOf(first!), pathsOf(second!)]).toEqual([[tree('top/b')], [tree('top')]]);
});

test('restore() does not bring hints back for a client that took its roots back and failed to answer later', async () => {
  const tree = makeTree('a', 'hint');
  const [first, second] = await openAll(2, { environment: { CLAUDE_PROJECT_DIR: tree('hint') } });
  await clientNames(first!, tree('a'));
  await clientNames(first!);
  await clientSays(first!, REFUSAL);
  await second!.restore(first!.keep());
  expect([pathsOf(first!), pathsOf(second!)]).toEqual([[], []]);
});

test.each(FAILED)('restore() of a %s client loses no change that is announced meanwhile', async (client) => {
  const tree = makeTree('a', 'b');
  const [workspace] = await openAll(1, {});
  const restoring = workspace!.restore({ ...keptAnswer(tree('a')), client }, { since: {} });
  await Promise.resolve();
  workspace!.rootsChanged();
  await restoring;
  expect(workspace!.keep()).toMatchObject({ roots: keptAnswer(tree('a')).roots!, outdated: true });
  let asked = 0;
  const ask = async () => {
    asked += 1;
    return { roots: [{ uri: pathToFileURL(tree('b')).href }] };
  };
  await workspace!.ready({ port: { ask } });
  expect([asked, pathsOf(workspace!)]).toEqual([1, [tree('b')]]);
});

test.each([
  ['refused', REFUSAL],
  ['silent', { error: new Error('gone') }],
  ['malformed', { result: 3 }],
] as const)(
  'restore() has a client that was %s after it announced a change not asked again',
  async (state, answer) => {
    const tree = makeTree('a');
    const [first, second] = await openAll(2, {});
    await clientNames(first!, tree('a'));
    await clientSays(first!, answer);
    await second!.restore(first!.keep());
    const { client } = await second!.ready({ port: neverAsked });
    expect([client, second!.stats().requests, pathsOf(second!)]).toEqual([state, 0, [tree('a')]]);
  },
);

test('keep() says that a change is not answered by the question before it, answered or not', async () => {
  const tree = makeTree('a');
  const { workspace, client } = await connectAsked();
  workspace.rootsChanged();
  await client.answer([tree('a')]);
  expect(workspace.keep().outdated).toBe(true);
  workspace.rootsChanged();
  await client.error(-32603);
  expect(workspace.keep().outdated).toBe(true);
});

test('restore() asks nothing before the roots count, however slow the disk is', async () => {
  const tree = makeTree('a');
  const gate = new Deferred();
  const realpath = async (path: string) => {
    if (path === tree('a')) await gate.promise;
    return path;
  };
  const { workspace, client, clock } = await connectAsked({
    disk: { realpath, inspect: () => 'directory' },
  });
  const restoring = workspace.restore(keptAnswer(tree('a')));
  await clock.advanceAndSettle(10_000);
  workspace.rootsChanged();
  await settle();
  expect(client.asked).toBe(1);
  gate.resolve();
  await restoring;
  await settle();
  await client.error(-32603);
  expect([client.asked, pathsOf(workspace)]).toEqual([2, [tree('a')]]);
});

const ANSWERS = [REFUSAL, { error: new Error('gone') }, { result: 3 }] as const;

const steps = fc.array(
  fc.record({
    writer: fc.nat(2),
    act: fc.constantFrom('answer', 'answer', 'fail', 'announce', 'save', 'save', 'save and announce'),
    names: fc.subarray(['a', 'b', 'c']),
    failure: fc.constantFrom(...ANSWERS),
  }),
  { maxLength: 14 },
);

test('whatever workspaces of one client hear and restore, each root is in a last answer, and the operator replaces none', async () => {
  const tree = makeTree('top/a', 'top/b', 'top/c');
  const top = tree('top');
  const play = fc.asyncProperty(steps, async (acts) => {
    const writers = await openAll(3, { roots: [top] });
    const since: KeptWorkspace[] = [{}, {}, {}];
    const last = new Map<number, readonly string[]>();
    let stored: KeptWorkspace = {};
    // The last answer of each when it saved last, as a whole and as each of them restored it.
    const saved = new Map<number, readonly string[]>();
    const restored: (readonly (readonly string[])[])[] = [[], [], []];
    const save = async (index: number, meanwhile = () => {}): Promise<void> => {
      const restoring = writers[index]!.restore(stored, { since: since[index]! });
      meanwhile();
      await restoring;
      stored = writers[index]!.keep();
      since[index] = stored;
      restored[index] = [...saved.values()];
      const own = last.get(index);
      if (own !== undefined) saved.set(index, own);
    };
    for (const { writer, act, names, failure } of acts) {
      const workspace = writers[writer]!;
      const folders = names.map((name) => tree(`top/${name}`));
      if (act === 'answer') await clientNames(workspace, ...folders);
      if (act === 'answer') last.set(writer, folders);
      if (act === 'fail') await clientSays(workspace, failure);
      if (act === 'announce') workspace.rootsChanged();
      if (act === 'save') await save(writer);
      if (act === 'save and announce') await save(writer, () => workspace.rootsChanged());
      // An answer that was not saved is unknown to the others: for them, the one that was saved before still counts.
      const answers = [...last.values(), ...restored[writer]!];
      const mayTakeOver = workspace.keep().hasGiven !== true || answers.some((one) => one.length === 0);
      expect(mayTakeOver || !pathsOf(workspace).includes(top)).toBe(true);
    }
    for (const index of [0, 1, 2, 0, 1, 2]) await save(index);
    for (const workspace of writers) {
      expect([top, ...[...last.values()].flat()]).toEqual(expect.arrayContaining([...pathsOf(workspace)]));
      expect(pathsOf(workspace)).toEqual(pathsOf(writers[0]!));
      workspace.dispose();
    }
  });
  await fc.assert(play, { numRuns: 200 });
});
