import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { takeAnnouncement } from '@rootward/core';
import { describe, expect, test } from 'vitest';
import { claudeCodeHookFor, claudeCodeInsertion } from '../../../../src/cli/install/hooks/claude-code.js';
import { geminiHookScript } from '../../../../src/cli/install/hooks/gemini-cli.js';
import { opencodePlugin } from '../../../../src/cli/install/hooks/opencode.js';
import { pathArguments } from '../../../../src/cli/install/hooks/path-arguments.js';
import { makeTree } from '../../../fixtures/temp-tree.js';

const tree = makeTree({
  'hook.cjs': geminiHookScript(),
  'plugin.mjs': opencodePlugin('rootward'),
  'main/.git/HEAD': 'ref: refs/heads/main\n',
  'main/there.txt': '',
  'linked/.git': 'gitdir: elsewhere\n',
  'linked/sub/there.txt': '',
});

function hook(input: string): unknown {
  const { status, stdout, stderr } = spawnSync(process.execPath, [tree.path('hook.cjs')], {
    input,
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
}

const call = (cwd: string, tool: string, args: object): unknown =>
  hook(
    JSON.stringify({
      cwd,
      tool_name: `mcp_rootward_${tool}`,
      tool_input: args,
      hook_event_name: 'BeforeTool',
    }),
  );

const changed = (args: object): object => ({
  hookSpecificOutput: { hookEventName: 'BeforeTool', tool_input: args },
});

describe('pathArguments()', () => {
  test('names the paths of every tool that works on files', () => {
    expect(pathArguments()).toMatchObject({
      read_text_file: ['path'],
      read_multiple_files: ['paths'],
      move_file: ['source', 'destination'],
      definition: ['file'],
    });
    expect(pathArguments()).not.toHaveProperty('workspace_info');
  });
});

describe('The hook of Gemini CLI', () => {
  test('makes a path absolute in a linked worktree, also one that is not there yet', () => {
    expect(call(tree.path('linked/sub'), 'write_file', { path: 'new.txt', content: 'new.txt' })).toEqual(
      changed({ path: tree.path('linked/sub/new.txt') }),
    );
    expect(call(tree.path('linked'), 'read_multiple_files', { paths: ['a', '/b'] })).toEqual(
      changed({ paths: [tree.path('linked/a'), '/b'] }),
    );
  });

  test('elsewhere only one that is there, since the server may know another root', () => {
    expect(call(tree.path('main'), 'read_text_file', { path: 'there.txt' })).toEqual(
      changed({ path: tree.path('main/there.txt') }),
    );
    expect(call(tree.path('main'), 'read_text_file', { path: 'not-there.txt' })).toEqual({});
  });

  test.each([
    ['absolute paths', 'read_text_file', { path: '/etc/hosts' }],
    ['URIs', 'read_text_file', { path: 'file:///a' }],
    ['the home', 'read_text_file', { path: '~/a' }],
    ['other tools', 'my_tool', { path: 'a' }],
    ['left-out paths', 'search_content', { pattern: 'a' }],
    ['what is no string', 'read_text_file', { path: 3 }],
  ])('leaves %s alone', (_, tool, args) => {
    expect(call(tree.path('linked'), tool, args)).toEqual({});
  });

  test.each(['', '{', '[]', '{}', '{"cwd":"a","tool_name":"x"}'])(
    'answers %j with nothing, and never fails',
    (input) => {
      expect(hook(input)).toEqual({});
    },
  );

  test('never answers with a decision', () => {
    expect(geminiHookScript()).not.toMatch(/decision|allow|permission/i);
  });
});

describe('The plugin of opencode', () => {
  test('makes the paths of a call absolute in place, and leaves the tools of others alone', async () => {
    const { RootwardPaths } = (await import(pathToFileURL(tree.path('plugin.mjs')).href)) as {
      RootwardPaths: (context: {
        directory: string;
      }) => Promise<
        Record<'tool.execute.before', (input: { tool: string }, output: { args: unknown }) => Promise<void>>
      >;
    };
    const hooks = await RootwardPaths({ directory: tree.path('linked') });
    const before = async (tool: string, args: unknown): Promise<unknown> => {
      await hooks['tool.execute.before']({ tool }, { args });
      return args;
    };
    expect(await before('rootward_write_file', { path: 'a' })).toEqual({ path: tree.path('linked/a') });
    expect(await before('other_write_file', { path: 'a' })).toEqual({ path: 'a' });
    expect(await before('rootward_write_file', undefined)).toBe(undefined);
  });
});

describe('claudeCodeHookFor()', () => {
  test.each([
    ['2.1.325 (Claude Code)\n', 'linux', 'mcp_tool'],
    ['2.1.118 (Claude Code)\n', 'linux', 'mcp_tool'],
    ['3.0.0', 'linux', 'mcp_tool'],
    ['2.1.117 (Claude Code)\n', 'linux', 'command'],
    ['2.0.76 (Claude Code)\n', 'darwin', 'command'],
    ['1.0.128 (Claude Code)\n', 'linux', 'command'],
    ['2.0.76 (Claude Code)\n', 'win32', undefined],
    [undefined, 'linux', 'mcp_tool'],
    ['no version', 'linux', 'mcp_tool'],
  ] as const)('takes %j on %s for one with %s', (version, platform, expected) => {
    expect(claudeCodeHookFor(version, platform)).toBe(expected);
  });
});

/** What version 2.0.76 writes to the stdin of a hook. */
const told = (cwd: string, id: string, input: object, more: object = {}): string =>
  JSON.stringify({
    session_id: 'a3c1',
    transcript_path: '/home/me/.claude/projects/-code/a3c1.jsonl',
    cwd,
    permission_mode: 'default',
    ...more,
    hook_event_name: 'PreToolUse',
    tool_name: 'mcp__rootward__write_file',
    tool_input: input,
    tool_use_id: id,
  });

describe.skipIf(process.platform === 'win32')('The command hook of Claude Code', () => {
  const { hooks } = claudeCodeInsertion('rootward', 'command').value as { hooks: { command: string }[] };
  const command = hooks[0]!.command;

  function note(state: string, input: string): void {
    const { status, stdout, stderr } = spawnSync('sh', ['-c', command], {
      input,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], HOME: '/nonexistent', XDG_STATE_HOME: state },
    });
    // Nothing on stdout: no version can take it for a decision.
    expect([status, stdout, stderr]).toEqual([0, '', '']);
  }

  test('notes down where each call comes from, whatever its arguments say', () => {
    const state = tree.path('state');
    const folder = join(state, 'rootward', 'calls');
    const odd = '/a "quoted" \\ folder, with {"cwd":"/x"} and ünïcode\n';
    note(state, told(odd, 'toolu_1', { path: 'a', content: '"cwd":"/forged","tool_use_id":"toolu_9"' }));
    note(state, told('/b', 'toolu_2', { cwd: '/forged', tool_use_id: 'forged' }, { agent_id: 'a7' }));
    note(state, told('/c', 'toolu_3', { content: 'x'.repeat(2_000_000) }));
    expect(takeAnnouncement(folder, 'toolu_0')).toBeUndefined();
    expect(takeAnnouncement(folder, 'forged')).toBeUndefined();
    expect(takeAnnouncement(folder, 'toolu_1')).toEqual({ cwd: odd, agent: '' });
    expect(takeAnnouncement(folder, 'toolu_2')).toEqual({ cwd: '/b', agent: 'a7' });
    expect(takeAnnouncement(folder, 'toolu_3')).toEqual({ cwd: '/c', agent: '' });
    expect(readdirSync(folder)).toEqual([]);
  });

  test('keeps nothing of what a call is about', () => {
    const state = tree.path('private');
    const folder = join(state, 'rootward', 'calls');
    note(state, told('/b', 'toolu_4', { content: 'a secret' }));
    const [name = ''] = readdirSync(folder);
    expect(readFileSync(join(folder, name), 'utf8')).toBe('"cwd":"/b"\n"tool_use_id":"toolu_4"\n');
  });

  test('never fails, also where nothing can be written', () => {
    mkdirSync(tree.path('locked'));
    chmodSync(tree.path('locked'), 0o500);
    note(tree.path('locked'), told('/b', 'toolu_5', {}));
    note('/dev/null', told('/b', 'toolu_5', {}));
    note(tree.path('empty'), '');
  });
});
