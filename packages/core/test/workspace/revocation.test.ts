import { rmdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Deferred } from '../../src/platform/async.js';
import { resolveSnapshot } from '../../src/snapshot/resolve-snapshot.js';
import { Workspace } from '../../src/workspace/workspace.js';
import { readFrom } from '../sources/read-from.js';
import { clientSays, connectAsked, makeTree, pathsOf, promptDisk } from './scripted-client.js';

const resultOf = (paths: readonly string[]) => ({
  result: { roots: paths.map((path) => ({ uri: pathToFileURL(path).href })) },
});

test('[] after roots removes them, and only operator sources may take over', async () => {
  const tree = makeTree('client', 'flag');
  const { workspace, client } = await connectAsked({ roots: [tree('flag')] });
  await client.answer([tree('client')]);
  workspace.rootsChanged();
  await client.answer([]);
  expect(workspace.snapshot().roots).toMatchObject([{ path: tree('flag'), source: 'flag' }]);
  expect(workspace.snapshot().client).toBe('empty');
});

test('[] after roots never brings hints or the ceiling fallback back', async () => {
  const tree = makeTree('in/client', 'in/pwd', 'in/host');
  const { workspace, client, clock } = await connectAsked({
    within: [tree('in')],
    environment: { PWD: tree('in/pwd'), CLAUDE_PROJECT_DIR: tree('in/host') },
  });
  expect(pathsOf(workspace)).toEqual([]);
  await client.answer([tree('in/client')]);
  workspace.rootsChanged();
  await client.answer([]);
  expect(pathsOf(workspace)).toEqual([]);
  expect(
    workspace
      .snapshot()
      .trace.filter(({ verdict }) => verdict === 'revoked')
      .map(({ source }) => source),
  ).toEqual(['host', 'cwd', 'ceiling']);
  await clock.advanceAndSettle(1_000);
  workspace.rootsChanged();
  await client.error(-32603);
  expect(pathsOf(workspace)).toEqual([]);
  const view = await workspace.forRequest({ 'agent-working-dir': tree('in/client') });
  expect(view.snapshot().roots).toEqual([]);
});

test('an all-rejected answer after roots revokes like []', async () => {
  const tree = makeTree('client', 'cwd');
  const { workspace, client } = await connectAsked({ environment: { PWD: tree('cwd') } });
  await client.answer([tree('client')]);
  workspace.rootsChanged();
  await client.answer([tree('missing')]);
  expect(pathsOf(workspace)).toEqual([]);
  expect(workspace.snapshot().client).toBe('answered');
});

test('a first [] falls back as if the client had said nothing', async () => {
  const tree = makeTree('cwd');
  const { workspace, client } = await connectAsked({ environment: { PWD: tree('cwd') } });
  await client.answer([]);
  expect(pathsOf(workspace)).toEqual([tree('cwd')]);
});

test('where each request stands alone, even a first [] or all-rejected answer leaves operator sources only', async () => {
  const tree = makeTree('cwd', 'flag', 'in');
  const hinted = await readFrom({ within: [tree('')], environment: { PWD: tree('cwd') } });
  const named = await readFrom({ roots: [tree('flag')], environment: { PWD: tree('cwd') } });
  for (const paths of [[], [tree('missing')]]) {
    const request = { declaresRoots: true, answer: resultOf(paths) };
    const alone = await resolveSnapshot(hinted, request, { now: 0 });
    expect(alone.roots).toEqual([]);
    const operated = await resolveSnapshot(named, request, { now: 0 });
    expect(operated.roots.map(({ path }) => path)).toEqual([tree('flag')]);
  }
});

test.each([{ missing: true } as const, { result: null }, { error: { code: -32603 } }])(
  'where each request stands alone, a missing or malformed answer (%j) lets the next sources apply',
  async (answer) => {
    const tree = makeTree('cwd');
    const sources = await readFrom({ environment: { PWD: tree('cwd') } });
    const snapshot = await resolveSnapshot(sources, { declaresRoots: true, answer }, { now: 0 });
    expect(snapshot.roots.map(({ path }) => path)).toEqual([tree('cwd')]);
  },
);

test('the client can give roots again', async () => {
  const tree = makeTree('a', 'b');
  const { workspace, client, clock } = await connectAsked();
  await client.answer([tree('a')]);
  workspace.rootsChanged();
  await client.answer([]);
  await clock.advanceAndSettle(1_000);
  workspace.rootsChanged();
  await client.answer([tree('b')]);
  expect(pathsOf(workspace)).toEqual([tree('b')]);
});

test('after an answer without root A no later operation through the workspace reaches A', async () => {
  const tree = makeTree('a', 'b');
  writeFileSync(tree('a/secret.txt'), 'secret');
  const { workspace, client } = await connectAsked();
  await client.answer([tree('a'), tree('b')]);
  expect((await workspace.scope().readText(tree('a/secret.txt'))).text).toBe('secret');
  workspace.rootsChanged();
  await client.answer([tree('b')]);
  const scope = workspace.scope();
  await expect(scope.readText(tree('a/secret.txt'))).rejects.toMatchObject({ code: 'outside-roots' });
  await expect(scope.write(tree('a/new.txt'), 'x')).rejects.toMatchObject({ code: 'outside-roots' });
  await expect(scope.list(tree('a'))).rejects.toMatchObject({ code: 'outside-roots' });
  await expect(scope.remove(tree('a/secret.txt'))).rejects.toMatchObject({ code: 'outside-roots' });
  expect(scope.contains(tree('a'))).toBe(false);
});

describe('consent', () => {
  test('adds a root behind the others, for as long as the workspace lives', async () => {
    const tree = makeTree('a', 'extra');
    const { workspace, client, clock } = await connectAsked();
    await client.answer([tree('a')]);
    const root = await workspace.grant(tree('extra'));
    expect(root).toMatchObject({ path: tree('extra'), source: 'consent' });
    expect(pathsOf(workspace)).toEqual([tree('a'), tree('extra')]);
    await clock.advanceAndSettle(1_000);
    workspace.rootsChanged();
    await client.answer([tree('a')]);
    expect(pathsOf(workspace)).toEqual([tree('a'), tree('extra')]);
    expect(workspace.explain()).toContain(`the user agreed to ${tree('extra')}`);
  });

  test('does not outlive the client taking that place, or everything, away', async () => {
    const tree = makeTree('a/deep', 'extra');
    const { workspace, client, clock } = await connectAsked();
    await client.answer([tree('a')]);
    await workspace.grant(tree('a/deep'));
    await workspace.grant(tree('extra'));
    workspace.rootsChanged();
    await client.answer([tree('extra')]);
    expect(pathsOf(workspace)).toEqual([tree('extra')]);
    await clock.advanceAndSettle(1_000);
    workspace.rootsChanged();
    await client.answer([]);
    expect(pathsOf(workspace)).toEqual([]);
  });

  test('for a place the client never named goes with everything else it takes away', async () => {
    const tree = makeTree('a', 'extra');
    const { workspace, client } = await connectAsked();
    await client.answer([tree('a')]);
    await workspace.grant(tree('extra'));
    workspace.rootsChanged();
    await client.answer([]);
    expect(pathsOf(workspace)).toEqual([]);
  });

  test('for a place around one the client takes away goes with it', async () => {
    const tree = makeTree('top/a', 'b');
    const { workspace, client } = await connectAsked();
    await client.answer([tree('top/a'), tree('b')]);
    await workspace.grant(tree('top'));
    workspace.rootsChanged();
    await client.answer([tree('b')]);
    expect(pathsOf(workspace)).toEqual([tree('b')]);
  });

  test('does not count when the client takes that place away while it is looked up', async () => {
    const tree = makeTree('a', 'b');
    for (const left of [[], [tree('b')]]) {
      const gate = new Deferred();
      let gated = false;
      const { workspace, client } = await connectAsked({
        disk: {
          ...promptDisk,
          async realpath(path) {
            if (gated && path === tree('a')) await gate.promise;
            return promptDisk.realpath(path);
          },
        },
      });
      await client.answer([tree('a'), tree('b')]);
      gated = true;
      const granting = workspace.grant(tree('a'));
      workspace.rootsChanged();
      await client.answer(left);
      gate.resolve();
      await expect(granting).rejects.toMatchObject({ code: 'not-permitted', path: tree('a') });
      expect(pathsOf(workspace)).toEqual(left);
    }
  });

  test('is considered without being given, and given only for where the path led then', async () => {
    const tree = makeTree('a', 'extra', 'other');
    const { workspace, client } = await connectAsked();
    await client.answer([tree('a')]);
    symlinkSync(tree('extra'), tree('link'));
    const considered = await workspace.consider(tree('link'));
    expect(considered.path).toBe(tree('extra'));
    expect(pathsOf(workspace)).toEqual([tree('a')]);
    rmdirSync(tree('extra'));
    symlinkSync(tree('other'), tree('extra'));
    await expect(workspace.grant(considered)).rejects.toMatchObject({ code: 'unstable-path' });
    expect(pathsOf(workspace)).toEqual([tree('a')]);
  });

  test.each(['missing', 'relative'])('for a %s path is refused', async (kind) => {
    const tree = makeTree();
    const { workspace } = await connectAsked();
    const granting = workspace.grant(kind === 'missing' ? tree('missing') : 'some/where');
    await expect(granting).rejects.toMatchObject({ code: kind === 'missing' ? 'not-found' : 'not-absolute' });
    expect(pathsOf(workspace)).toEqual([]);
  });
});

test('whatever a client answers in turn, the roots are those of its last valid answer or of an operator', async () => {
  const tree = makeTree('a', 'b', 'flag', 'cwd');
  const sources = await readFrom({ environment: { PWD: tree('cwd') }, disk: promptDisk });
  const answers = fc.array(
    fc.oneof(
      fc.subarray(['a', 'b', 'missing']).map((names) => ({ names })),
      fc.constantFrom(null, { roots: 'x' }).map((result) => ({ result })),
      fc.constant({ error: { code: -32603 } }),
    ),
    { minLength: 1, maxLength: 8 },
  );
  await fc.assert(
    fc.asyncProperty(answers, async (list) => {
      const workspace = new Workspace({ sources, limits: { spacing: 0 } });
      let given: readonly string[] = [];
      let everGave = false;
      for (const answer of list) {
        await clientSays(
          workspace,
          'names' in answer ? resultOf(answer.names.map((name) => tree(name))) : answer,
        );
        if ('names' in answer)
          given = answer.names.filter((name) => name !== 'missing').map((name) => tree(name));
        everGave ||= given.length > 0;
        const fallback = everGave ? [] : [tree('cwd')];
        expect(pathsOf(workspace)).toEqual(given.length > 0 ? given : fallback);
      }
      workspace.dispose();
    }),
    { numRuns: 300 },
  );
});
