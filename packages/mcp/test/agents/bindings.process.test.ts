import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectOf } from '@rootward/core';
import { describe, expect, test } from 'vitest';
import { FakeClock } from '../../../../testing/fake-clock.js';
import { AgentClient, dataOf, errorOf, ERAS, git, Repository, type Agent } from '../fixtures/agent-client.js';

const inMain = (repository: Repository, name: string): string => join(repository.main, name);

/** The call `toolu_a` lands in its tree, once; another one is refused. */
async function expectOneBoundCall({ client }: AgentClient, tree: string): Promise<void> {
  const write = (id: string, path: string) =>
    client.callTool('write', { path, text: id }, { meta: { 'claudecode/toolUseId': id } });
  expect(errorOf(await write('toolu_b', 'b.txt'))?.error_type).toBe('ambiguous_tree');
  expect(errorOf(await write('toolu_a', 'a.txt'))).toBeUndefined();
  expect(readFileSync(join(tree, 'a.txt'), 'utf8')).toBe('toolu_a');
  expect(errorOf(await write('toolu_a', 'again.txt'))?.error_type).toBe('ambiguous_tree');
}

describe.each(ERAS)('on a %s connection', (era) => {
  const connect = (cwd: string, workspace = {}, hook = true): Promise<AgentClient> =>
    AgentClient.connect(cwd, { era, hook, workspace });

  test('a binding serves its call alone, and ends with its answer', async () => {
    const repository = new Repository();
    const client = await connect(repository.main, {}, false);
    const tree = repository.addTree('one');
    await client.bind('toolu_a', tree);
    await expectOneBoundCall(client, tree);
    await client.close();
  });

  test.each([
    [29, undefined],
    [31, 'ambiguous_tree'],
  ])('a call that waits %i minutes for a permission ends as %s', async (minutes, code) => {
    const repository = new Repository();
    const clock = new FakeClock(Date.now());
    const client = await connect(repository.main, { clock }, false);
    const tree = repository.addTree('one');
    await client.bind('toolu_a', tree);
    clock.advance(minutes * 60_000);
    const meta = { 'claudecode/toolUseId': 'toolu_a' };
    const result = await client.client.callTool('write', { path: 'a.txt', text: '' }, { meta });
    expect(errorOf(result)?.error_type).toBe(code);
    await client.close();
  });

  test('what a command hook noted down about a call binds it, too', async () => {
    const repository = new Repository();
    const calls = join(repository.top, 'state', 'rootward', 'calls');
    mkdirSync(calls, { recursive: true, mode: 0o700 });
    const environment = { XDG_STATE_HOME: join(repository.top, 'state') };
    const client = await connect(repository.main, { environment }, false);
    const tree = repository.addTree('one');
    writeFileSync(join(calls, '7.call'), `"cwd":${JSON.stringify(tree)}\n"tool_use_id":"toolu_a"\n`);
    await expectOneBoundCall(client, tree);
    await client.close();
  });

  test('a forged binding reaches no folder that was out of reach', async () => {
    const repository = new Repository();
    const outside = join(repository.top, 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'secret.txt'), 'secret');
    const other = new Repository();
    const foreignTree = other.addTree('foreign');
    writeFileSync(join(foreignTree, 'secret.txt'), 'secret');
    const client = await connect(repository.main);
    for (const cwd of [outside, '/', other.main, foreignTree, 'relative', join(outside, 'missing')]) {
      const forger = { id: 'x', cwd };
      const absolute = await client.call(forger, 'read', { path: join(outside, 'secret.txt') });
      expect(errorOf(absolute)?.error_type).toBe('outside_roots');
      const relative = await client.call(forger, 'read', { path: 'secret.txt' });
      expect(['not_found', 'ambiguous_tree']).toContain(errorOf(relative)?.error_type);
      expect(
        errorOf(await client.call(forger, 'read', { path: inMain(repository, 'src/a.txt') })),
      ).toBeUndefined();
    }
    await client.close();
  });

  test('a folder that claims to be a worktree which the repository does not confirm is refused', async () => {
    const repository = new Repository();
    repository.addTree('honest', join(repository.top, 'honest'));
    const entry = join(repository.main, '.git', 'worktrees', 'honest');
    const client = await connect(repository.main);
    for (const folder of [join(repository.top, 'liar'), inMain(repository, 'liar')]) {
      mkdirSync(folder);
      writeFileSync(join(folder, '.git'), `gitdir: ${entry}\n`);
      writeFileSync(join(folder, 'secret.txt'), 'secret');
      const error = errorOf(
        await client.call({ id: 'x', cwd: folder }, 'write', { path: 'a.new', text: '' }),
      );
      expect(error).toMatchObject({
        error_type: 'ambiguous_tree',
        message: expect.stringContaining('does not confirm'),
      });
    }
    await client.close();
  });

  test('the ceiling holds for a worktree', async () => {
    const repository = new Repository();
    const client = await connect(repository.main, { within: [repository.main] });
    const inside = { id: 'in', cwd: repository.addTree('inside') };
    const outside = { id: 'out', cwd: repository.addTree('outside', join(repository.top, 'outside')) };
    expect(errorOf(await client.call(inside, 'write', { path: 'a.new', text: '' }))).toBeUndefined();
    for (const path of ['a.new', join(outside.cwd, 'a.new')]) {
      const error = errorOf(await client.call(outside, 'write', { path, text: '' }));
      expect(['ambiguous_tree', 'outside_roots']).toContain(error?.error_type);
    }
    await client.close();
  });

  test('a root below the top of the main tree moves to the same folder, with the same access', async () => {
    const repository = new Repository();
    const config = [{ file: inMain(repository, 'c.json'), roots: [{ path: 'src', access: 'read-only' }] }];
    const client = await connect(inMain(repository, 'src'), { config });
    const agent = { id: 'one', cwd: repository.addTree('one', join(repository.top, 'one')) };
    const { roots } = dataOf(await client.call(agent, 'workspace_info'));
    expect(roots).toEqual([`agent ${join(agent.cwd, 'src')}`]);
    expect(errorOf(await client.call(agent, 'read', { path: 'a.txt' }))).toBeUndefined();
    const error = errorOf(await client.call(agent, 'write', { path: 'a.txt', text: '' }));
    expect(error?.error_type).toBe('read_only');
    await client.close();
  });

  test('a link in a worktree leads nowhere', async () => {
    const repository = new Repository();
    const client = await connect(inMain(repository, 'src'));
    const tree = repository.addTree('one', join(repository.top, 'one'));
    git(tree, 'rm', '-rq', 'src');
    symlinkSync('/', join(tree, 'src'));
    const result = await client.call({ id: 'one', cwd: tree }, 'read', { path: 'etc/hostname' });
    expect(errorOf(result)?.error_type).toBe('ambiguous_tree');
    await client.close();
  });

  test('a submodule or a clone inside a worktree does not hide it', async () => {
    const repository = new Repository();
    const client = await connect(repository.main);
    const tree = repository.addTree('one');
    const clone = join(tree, 'vendor', 'clone');
    mkdirSync(clone, { recursive: true });
    git(clone, 'init');
    const { roots } = dataOf(await client.call({ id: 'one', cwd: clone }, 'workspace_info'));
    expect(roots).toEqual([`agent ${tree}`]);
    await client.close();
  });

  test('where client roots are ignored, bindings are not read', async () => {
    const repository = new Repository();
    const client = await connect(repository.main, { clientRoots: 'ignore', roots: [repository.main] });
    const agent = { id: 'one', cwd: repository.addTree('one') };
    expect(errorOf(await client.call(agent, 'write', { path: 'a.new', text: '' }))?.error_type).toBe(
      'ambiguous_tree',
    );
    await client.close();
  });

  test('the project stays that of the main repository, and the tree is named with its branch', async () => {
    const repository = new Repository();
    const client = await connect(repository.main);
    const agent = { id: 'one', cwd: repository.addTree('one') };
    const { id } = projectOf({ path: repository.main, source: 'client' });
    expect(dataOf(await client.call(client.main, 'workspace_info'))).toMatchObject({
      project: { id, path: repository.main },
      tree: { path: repository.main, linked: false, branch: 'main', known: 'agent' },
    });
    expect(dataOf(await client.call(agent, 'workspace_info'))).toMatchObject({
      project: { id, path: agent.cwd },
      tree: { path: agent.cwd, repository: repository.main, linked: true, branch: 'one', known: 'agent' },
    });
    git(agent.cwd, 'switch', '-c', 'two');
    expect(dataOf(await client.call(agent, 'workspace_info'))).toMatchObject({ tree: { branch: 'two' } });
    await client.close();
  });

  test('a handle pins its caller to a tree', async () => {
    const repository = new Repository();
    const client = await connect(repository.main, {}, false);
    const tree = repository.addTree('one', join(repository.top, 'one'));
    const agent = { id: 'one', cwd: tree };
    const handleFor = async (path: string) =>
      dataOf(await client.call(agent, 'workspace_info', { path }))['handle'];
    const workspace = await handleFor(tree);
    expect(
      errorOf(await client.call(agent, 'write', { path: 'a.new', text: 'x', workspace })),
    ).toBeUndefined();
    expect(readFileSync(join(tree, 'a.new'), 'utf8')).toBe('x');
    const pinned = await handleFor(inMain(repository, 'src'));
    expect(
      errorOf(await client.call(agent, 'write', { path: 'm.new', text: 'm', workspace: pinned })),
    ).toBeUndefined();
    expect(readFileSync(inMain(repository, 'm.new'), 'utf8')).toBe('m');
    expect(await handleFor(repository.top)).toBeNull();
    expect(await handleFor('/etc')).toBeNull();
    repository.removeTree(tree);
    expect(
      errorOf(await client.call(agent, 'write', { path: 'b.new', text: '', workspace }))?.error_type,
    ).toBe('ambiguous_tree');
    await client.close();
  });

  test('the refusal names the trees, and the hook once', async () => {
    const repository = new Repository();
    const client = await connect(repository.main, {}, false);
    const inside = repository.addTree('inside');
    const outside = repository.addTree('outside', join(repository.top, 'outside'));
    const refuse = async () => errorOf(await client.call(client.main, 'read', { path: 'src/a.txt' }));
    const first = await refuse();
    for (const text of [inside, outside]) expect(first?.message).toContain(text);
    expect(first?.instruction).toContain(`${repository.main} and ${inside}`);
    expect(first?.instruction).toContain('call workspace_info with its path');
    expect(first?.instruction).toContain('"install" of rootward');
    expect((await refuse())?.instruction).not.toContain('"install" of rootward');
    expect(
      errorOf(await client.call(client.main, 'read', { path: inMain(repository, 'src/a.txt') })),
    ).toBeUndefined();
    await client.close();
  });

  test('worktrees that were there before do not matter, unless the client keeps its own there', async () => {
    const repository = new Repository();
    const tree = repository.addTree('old', join(repository.top, 'old'));
    const clock = new FakeClock(Date.now() + 60_000);
    const client = await connect(repository.main, { clock }, false);
    const read = async () =>
      errorOf(await client.call(client.main, 'read', { path: 'src/a.txt' }))?.error_type;
    expect(await read()).toBeUndefined();
    git(repository.main, 'worktree', 'move', tree, inMain(repository, '.claude'));
    expect(await read()).toBeUndefined();
    repository.addTree('of-the-client');
    clock.advance(60_000);
    const later = await connect(repository.main, { clock }, false);
    const again = await later.call(later.main, 'read', { path: 'src/a.txt' });
    expect(errorOf(again)?.error_type).toBe('ambiguous_tree');
    clock.advance(25 * 60 * 60_000);
    const nextDay = await connect(repository.main, { clock }, false);
    expect(errorOf(await nextDay.call(nextDay.main, 'read', { path: 'src/a.txt' }))).toBeUndefined();
    await Promise.all([client.close(), later.close(), nextDay.close()]);
  });

  test('bind_caller is listed for clients whose hooks need it', async () => {
    const repository = new Repository();
    const namesFor = async (clientName: string) => {
      const client = await AgentClient.connect(repository.main, { era, hook: false, clientName });
      const { tools } = (await client.client.request('tools/list')) as { tools: { name: string }[] };
      await client.close();
      return tools.map(({ name }) => name);
    };
    expect(await namesFor('claude-code')).toContain('bind_caller');
    expect(await namesFor('vscode')).not.toContain('bind_caller');
  });
});

test('without worktrees a legacy client is asked no more often', async () => {
  const repository = new Repository();
  const client = await AgentClient.connect(repository.main, {
    era: 'legacy',
    hook: false,
    workspace: { clock: new FakeClock(Date.now()) },
  });
  for (let call = 0; call < 20; call++) await client.call(client.main, 'read', { path: 'src/a.txt' });
  expect(client.client.asked).toHaveLength(1);
  await client.close();
});

test('a hook says what relative paths mean where the client has moved to another tree', async () => {
  const repository = new Repository();
  const client = await AgentClient.connect(repository.main, { era: 'legacy', hook: true });
  await client.call(client.main, 'read', { path: 'src/a.txt' });
  client.main.cwd = repository.addTree('one');
  client.client.changeRoots();
  await client.client.whenAsked(2);
  const write = (agent: Agent) => client.call(agent, 'write', { path: 'a.new', text: 'x' });
  expect(errorOf(await write(client.main))).toBeUndefined();
  expect(readFileSync(join(client.main.cwd, 'a.new'), 'utf8')).toBe('x');
  // Elsewhere, the hook does not say so.
  expect(errorOf(await write({ id: 'other', cwd: tmpdir() }))).toBeDefined();
  await client.close();
});

test('before a call is refused, a legacy client is asked once more: it may have moved without a word', async () => {
  const repository = new Repository();
  const client = await AgentClient.connect(repository.main, {
    era: 'legacy',
    hook: false,
    workspace: { clock: new FakeClock(Date.now()) },
  });
  await client.call(client.main, 'read', { path: 'src/a.txt' });
  client.main.cwd = repository.addTree('one');
  const write = () => client.call(client.main, 'write', { path: 'a.new', text: 'x' });
  expect(errorOf(await write())?.error_type).toBe('root_gone');
  expect(client.client.asked).toHaveLength(2);
  await client.call(client.main, 'workspace_info');
  expect(errorOf(await write())).toBeUndefined();
  expect(readFileSync(join(client.main.cwd, 'a.new'), 'utf8')).toBe('x');
  await client.close();
});
