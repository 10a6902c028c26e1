import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { connectV1, connectV2, placeOf as placeIn, serveWrapped, TOKENS } from './fixtures/http.js';
import { INNER, jsonOf, makeFolder, roots, textOf, wrap } from './fixtures/wrapped.js';

const NODE = process.execPath;

function git(cwd: string, ...args: readonly string[]): void {
  const who = ['-c', 'user.name=t', '-c', 'user.email=t@t'];
  execFileSync('git', [...who, ...args], {
    cwd,
    stdio: 'ignore',
    env: { PATH: process.env['PATH'], HOME: cwd },
  });
}

function makeRepository(): string {
  const folder = makeFolder('app');
  git(folder, 'init', '-q', '-b', 'main');
  writeFileSync(join(folder, 'a.txt'), 'a');
  git(folder, 'add', '.');
  git(folder, 'commit', '-qm', 'a');
  return folder;
}

function addTree(folder: string, name: string): string {
  const path = join(folder, '.claude', 'worktrees', name);
  mkdirSync(join(folder, '.claude', 'worktrees'), { recursive: true });
  git(folder, 'worktree', 'add', '-q', '-b', name, path);
  return path;
}

const claude = { clientInfo: { name: 'claude-code', version: '2.1.0' } };
const called = (id: string): { meta: Record<string, unknown> } => ({ meta: { 'claudecode/toolUseId': id } });

describe('callers in working trees', () => {
  test.each(['legacy', 'modern'] as const)(
    'a call that a hook has bound to a tree gets a server of its own there, in the %s era',
    async (era) => {
      const folder = makeRepository();
      const { client } = await wrap([NODE, INNER], { era, roots: roots(folder), ...claude });
      const { tools } = await client.request('tools/list');
      expect((tools as { name: string }[]).map(({ name }) => name)).toContain('bind_caller');
      const tree = addTree(folder, 'one');
      expect(textOf(await client.callTool('bind_caller', { id: 'call-1', cwd: tree }))).toBe('Noted');
      expect(textOf(await client.callTool('bind_caller', { id: 'call-2', cwd: folder }))).toBe('Noted');
      const inTree = jsonOf(await client.callTool('where', {}, called('call-1')));
      const inMain = jsonOf(await client.callTool('where', {}, called('call-2')));
      expect([inTree['cwd'], inMain['cwd']]).toEqual([tree, folder]);
      expect(inTree['pid']).not.toBe(inMain['pid']);
    },
  );

  test('a call is refused where nobody can tell which tree is meant', async () => {
    const folder = makeRepository();
    const { client } = await wrap([NODE, INNER], { roots: roots(folder), ...claude });
    expect(jsonOf(await client.callTool('where'))).toMatchObject({ cwd: folder });
    addTree(folder, 'two');
    const refused = await client.callTool('where');
    expect(refused['isError']).toBe(true);
    expect(textOf(refused)).toContain('Cannot tell which working tree is meant');
    expect(JSON.stringify(refused)).toContain('ambiguous_tree');
  });

  test('a shared server does not see a call that a hook has bound to a tree', async () => {
    const folder = makeRepository();
    const url = await serveWrapped(['--root', folder, '--share'], [NODE, INNER], onTestFinished);
    const [claudeCode, other] = [
      await connectV1(url, folder, TOKENS[0], claude.clientInfo),
      await connectV1(url, folder),
    ];
    const { tools } = await claudeCode.client.listTools();
    expect(tools.map(({ name }) => name)).toContain('bind_caller');
    expect(JSON.stringify(await other.client.listTools())).not.toContain('bind_caller');
    const tree = addTree(folder, 'one');
    await claudeCode.call('bind_caller', { id: 'call-1', cwd: tree });
    await claudeCode.call('bind_caller', { id: 'call-2', cwd: folder });
    const where = async (id: string): Promise<string> =>
      placeIn(
        await claudeCode.client.callTool({
          name: 'where',
          arguments: {},
          _meta: { 'claudecode/toolUseId': id },
        }),
      ).cwd;
    expect(await Promise.all([where('call-1'), where('call-2')])).toEqual([tree, folder]);
    await Promise.all([claudeCode.close(), other.close()]);
  });

  test('a call of the modern era over HTTP is refused where nobody can tell which tree is meant', async () => {
    const folder = makeRepository();
    const url = await serveWrapped(['--root', folder], [NODE, INNER], onTestFinished);
    const caller = await connectV2(url, folder);
    expect(placeIn(await caller.call('where')).cwd).toBe(folder);
    addTree(folder, 'two');
    expect(JSON.stringify(await caller.call('where'))).toContain('Cannot tell which working tree is meant');
    await caller.close();
  });

  test('other clients see no tool of ours', async () => {
    const { client } = await wrap([NODE, INNER], { roots: roots(makeFolder('a')) });
    expect(JSON.stringify(await client.request('tools/list'))).not.toContain('bind_caller');
  });
});
