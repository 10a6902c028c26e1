import { spawnSync } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
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
