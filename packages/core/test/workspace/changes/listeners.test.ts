import { describe, expect, test } from 'vitest';
import { connectAsked, makeTree, paths, record } from '../scripted-client.js';

describe('onDidChange', () => {
  test('carries exact added and removed lists, in order', async () => {
    const tree = makeTree('a', 'b', 'c', 'd');
    const { workspace, client, clock } = await connectAsked();
    const changes = record(workspace);
    await client.answer([tree('a'), tree('b'), tree('c')]);
    await clock.advanceAndSettle(1_000);
    workspace.rootsChanged();
    await client.answer([tree('d'), tree('b')]);
    expect(changes.map(({ added, removed }) => [paths(added), paths(removed)])).toEqual([
      [[tree('a'), tree('b'), tree('c')], []],
      [[tree('d')], [tree('a'), tree('c')]],
    ]);
    expect(changes.map(({ reason, snapshot }) => [reason, snapshot.epoch])).toEqual([
      ['answer', 1],
      ['answer', 2],
    ]);
  });

  test('never comes for an unchanged list', async () => {
    const tree = makeTree('a', 'b');
    const { workspace, client, clock } = await connectAsked();
    await client.answer([tree('a'), tree('b')]);
    const changes = record(workspace);
    await clock.advanceAndSettle(1_000);
    workspace.rootsChanged();
    await client.answer([`${tree('a')}/`, tree('b'), tree('a')]);
    expect(changes).toEqual([]);
  });

  test('says that the same roots in another order are a change of the primary root only', async () => {
    const tree = makeTree('a', 'b');
    const { workspace, client, clock } = await connectAsked();
    await client.answer([tree('a'), tree('b')]);
    const changes = record(workspace);
    await clock.advanceAndSettle(1_000);
    workspace.rootsChanged();
    await client.answer([tree('b'), tree('a')]);
    expect(changes).toMatchObject([{ added: [], removed: [], primaryChanged: true }]);
    expect(workspace.directory()).toBe(tree('b'));
  });

  test('a throwing listener does not stop the others', async () => {
    const tree = makeTree('a');
    const warnings: unknown[] = [];
    const log = { debug() {}, info() {}, warn: (...line: unknown[]) => warnings.push(line) };
    const { workspace, client } = await connectAsked({ log });
    workspace.onDidChange(() => {
      throw new Error(`broken listener for ${tree('a')}`);
    });
    const changes = record(workspace);
    await client.answer([tree('a')]);
    expect(changes).toHaveLength(1);
    expect(warnings).toEqual([['change listener failed']]);
  });

  test('a disposed listener hears nothing, and one added meanwhile only the next change', async () => {
    const tree = makeTree('a', 'b');
    const { workspace, client, clock } = await connectAsked();
    const heard: string[] = [];
    const first = workspace.onDidChange(() => {
      heard.push('first');
      first.dispose();
      workspace.onDidChange(() => heard.push('later'));
    });
    await client.answer([tree('a')]);
    await clock.advanceAndSettle(1_000);
    workspace.rootsChanged();
    await client.answer([tree('b')]);
    expect(heard).toEqual(['first', 'later']);
  });
});

describe('onDidChooseProject', () => {
  test('comes for every project that is chosen, and not for roots', async () => {
    const tree = makeTree('a', 'b');
    const { workspace, client } = await connectAsked();
    const chosen: (string | undefined)[] = [];
    const listening = workspace.onDidChooseProject(({ path }) => void chosen.push(path));
    await client.answer([tree('a'), tree('b')]);
    const [, second] = workspace.snapshot().roots;
    workspace.chooseProject({ root: second! });
    workspace.chooseProject({ name: 'elsewhere' });
    expect(() => workspace.chooseProject({ name: '/' })).toThrow(
      expect.objectContaining({
        code: 'malformed',
        message: 'Cannot switch to "/": it is not a project name',
        instruction: expect.stringContaining('basename') as string,
      }),
    );
    listening.dispose();
    workspace.chooseProject({ root: second! });
    expect(chosen).toEqual([tree('b'), undefined]);
  });
});
