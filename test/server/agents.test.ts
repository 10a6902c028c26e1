import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Result, ScriptedClient } from '@rootward/mcp/testing';
import { afterAll, describe, expect, test } from 'vitest';
import { makeProject } from '../exec/fixtures/tools-project.js';
import { connectRootward, textOf } from './fixtures/rootward.js';
import { git } from '../../testing/git.js';

const top = realpathSync(mkdtempSync(join(tmpdir(), 'rootward-agents-')));
afterAll(() => rmSync(top, { recursive: true, force: true }));
const project = makeProject({
  touch: 'touch "$(mcp_roots_list | head -1)/$(mcp_args_get .name)"; echo done',
});

function makeRepository(name: string): string {
  const main = join(top, name);
  mkdirSync(main);
  git(main, 'init');
  writeFileSync(join(main, 'a.txt'), 'needle\n');
  git(main, 'add', '.');
  git(main, 'commit', '-m', 'first');
  return main;
}

let calls = 0;

/** A call of an agent that works in `cwd`, announced by the hook where there is one. */
async function call(
  client: ScriptedClient,
  hook: boolean,
  cwd: string,
  name: string,
  args: Readonly<Record<string, unknown>>,
): Promise<Result> {
  calls += 1;
  const id = `toolu_${calls}`;
  if (hook) await client.callTool('bind_caller', { cwd, id, agent: 'x' });
  return client.callTool(name, args, { meta: { 'claudecode/toolUseId': id } });
}

const CASES = (['legacy', 'modern'] as const).flatMap((era) => [true, false].map((hook) => ({ era, hook })));

describe.each(CASES)('rootward serves agents on a $era connection, with the hook: $hook', ({ era, hook }) => {
  test('files, executables and omitted paths belong to the tree of the caller', async () => {
    const main = makeRepository(`${era}-${hook}`);
    const { client } = await connectRootward(['--project', project.path], {
      era,
      roots: (asked) => asked.answer([{ uri: pathToFileURL(main).href }]),
      clientInfo: { name: 'claude-code', version: '2.1.325' },
    });
    expect(textOf(await call(client, hook, main, 'touch', { name: 'before' }))).toContain('done');
    const tree = join(main, '.claude', 'worktrees', 'one');
    git(main, 'worktree', 'add', '-b', 'one', tree);
    const work: readonly (readonly [string, Record<string, unknown>])[] = [
      ['write_file', { path: 'new.txt', content: 'x' }],
      ['create_directory', { path: 'made' }],
      ['touch', { name: 'touched' }],
      ['list_directory', { path: '.' }],
      ['search_content', { pattern: 'needle' }],
    ];
    const texts: string[] = [];
    for (const [name, args] of work) {
      const result = await call(client, hook, tree, name, args);
      expect([name, result['isError'] ?? false]).toEqual([name, !hook]);
      texts.push(textOf(result));
    }
    const unclear = texts.filter((text) => text.startsWith('Cannot tell which working tree is meant: '));
    expect(unclear).toHaveLength(hook ? 0 : work.length);
    expect(texts.at(-1)?.includes(join(tree, 'a.txt'))).toBe(hook);
    for (const name of ['new.txt', 'made', 'touched']) {
      expect([name, existsSync(join(main, name)), existsSync(join(tree, name))]).toEqual([name, false, hook]);
    }
    const info = (await call(client, hook, tree, 'workspace_info', { path: tree }))['structuredContent'];
    const seen = { path: hook ? tree : main, branch: hook ? 'one' : 'main' };
    expect(info).toMatchObject({ tree: hook ? { ...seen, known: 'agent' } : { ...seen, others: [tree] } });
    // The way out that the refusal names works on both eras.
    const { workspace } = info as { workspace: string };
    expect(await call(client, false, tree, 'touch', { name: 'by-handle', workspace })).not.toHaveProperty(
      'isError',
      true,
    );
    expect([existsSync(join(main, 'by-handle')), existsSync(join(tree, 'by-handle'))]).toEqual([false, true]);
  });
});
