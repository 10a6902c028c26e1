import { symlinkSync } from 'node:fs';
import type { Root } from '@rootward/core';
import { describe, expect, test } from 'vitest';
import { MINIMAL, readEnvironmentMode } from '../../../src/settings/values/environment-mode.js';
import type { EnvironmentMode } from '../../../src/settings/values/environment-mode.js';
import {
  describeRoots,
  inheritedVariables,
  toolEnvironment,
} from '../../../src/exec/run/tool-environment.js';
import { makeTree } from '../../fixtures/temp-tree.js';
import type { InheritedVariables, ToolCallFacts, Variables } from '../../../src/exec/run/tool-environment.js';

function root(path: string): Root {
  return {
    uri: `file://${path}`,
    path,
    name: 'n',
    kind: 'directory',
    access: 'read-write',
    source: 'client',
    declared: path,
    broad: false,
  };
}

function inherited(server: Variables): InheritedVariables {
  return inheritedVariables(server, MINIMAL);
}

const tree = makeTree({ 'app/node_modules/.bin/': '' });
symlinkSync(tree.path('app'), tree.path('link'));

const call: ToolCallFacts = {
  name: 'tool',
  file: '/p/tools/tool/tool.sh',
  metadataJson: '{}',
  argsJson: '{}',
  roots: describeRoots([root('/data/app')], inherited({})),
  project: '/p',
  sdk: '/sdk',
  filePrefix: '/tmp/call-1-',
  channelTag: 'tag',
  jsonTool: undefined,
  node: '/bin/node',
};

/** The `PATH` of a tool, of a server with this one. */
function pathWith(PATH: string, roots: readonly Root[], mode: EnvironmentMode = MINIMAL): string | undefined {
  const variables = inheritedVariables({ PATH }, mode);
  return toolEnvironment(variables, { ...call, roots: describeRoots(roots, variables) }).variables['PATH'];
}

describe('toolEnvironment()', () => {
  test('puts what is over 64 KiB into files, whatever it is', () => {
    const long = 'é'.repeat(40_000);
    const roots = Array.from({ length: 5000 }, (_, n) => root(`/data/some/folder/root-${n}`));
    const { variables, files } = toolEnvironment(inherited({}), {
      ...call,
      argsJson: long,
      metadataJson: long,
      roots: describeRoots(roots, inherited({})),
    });
    expect(variables).toMatchObject({
      MCP_TOOL_ARGS_FILE: '/tmp/call-1-args.json',
      MCP_TOOL_METADATA_FILE: '/tmp/call-1-metadata.json',
      MCP_ROOTS_JSON_FILE: '/tmp/call-1-roots.json',
      MCP_ROOTS_PATHS_FILE: '/tmp/call-1-roots.txt',
      MCP_ROOTS_COUNT: '5000',
    });
    expect(Object.keys(variables)).not.toContain('MCP_ROOTS_JSON');
    expect(files.get('/tmp/call-1-args.json')).toBe(long);
    expect(files.get('/tmp/call-1-roots.txt')!.split('\n')).toHaveLength(5000);
  });

  test('leaves out the programs that the workspace itself brings', () => {
    const PATH =
      '/usr/bin:/data/app/node_modules/.bin:/other/node_modules/.bin:/data/app/bin:/data/node_modules/.bin';
    expect(pathWith(PATH, [root('/data/app')])).toBe('/usr/bin');
    expect(pathWith(PATH, [root('/data/app')], { kind: 'inherit' })).toBe(PATH);
  });

  test('leaves out those of the repository that a root lies in', () => {
    const repository = makeTree({ '.git/': '', 'scripts/': '', 'packages/a/': '' });
    const PATH = `${repository.path('scripts')}:/usr/bin`;
    expect(pathWith(PATH, [root(repository.path('packages/a'))])).toBe('/usr/bin');
  });

  test('leaves them out under another name, too', () => {
    const PATH = `${tree.path('link/node_modules/.bin')}:/usr/bin`;
    expect(pathWith(PATH, [root(tree.path('app'))])).toBe('/usr/bin');
  });

  test('leaves the programs of the system where a root is the whole disk, and takes out those of projects', () => {
    const PATH = `/usr/bin:${tree.path('app/node_modules/.bin')}`;
    expect(pathWith(PATH, [{ ...root('/'), broad: true }])).toBe('/usr/bin');
  });

  test('leaves out folders of PATH whose meaning depends on where a tool is', () => {
    expect(pathWith('./node_modules/.bin::/usr/bin:.', [root('/data/app')])).toBe('/usr/bin');
    // An empty one would mean the current directory.
    for (const none of ['.', '/data/app/node_modules/.bin']) {
      expect(pathWith(none, [root('/data/app')])).toBeUndefined();
    }
  });

  test('hides the secrets of the server in any letter case, which some systems do not tell apart', () => {
    const server = { ROOTWARD_TOKEN: 'a', Rootward_Token: 'b', rootward_handle_key: 'c', OTHER: 'd' };
    expect(inheritedVariables(server, { kind: 'inherit' }).variables).toEqual({ OTHER: 'd' });
  });

  test('says how to read JSON without jq', () => {
    const without = toolEnvironment(inherited({ MCPBASH_JSON_TOOL_BIN: '/old/jq' }), call).variables;
    expect([without['MCPBASH_JSON_TOOL_BIN'], without['MCP_NODE_BIN']]).toEqual([undefined, '/bin/node']);
    const withJq = toolEnvironment(inherited({}), { ...call, jsonTool: '/usr/bin/jq' }).variables;
    expect([withJq['MCPBASH_JSON_TOOL_BIN'], withJq['MCP_NODE_BIN']]).toEqual(['/usr/bin/jq', '/bin/node']);
  });
});

test('readEnvironmentMode() knows three modes', () => {
  expect(readEnvironmentMode('inherit')).toEqual({ kind: 'inherit' });
  expect(readEnvironmentMode('allow: A ,B_2')).toEqual({ kind: 'allow', names: ['A', 'B_2'] });
  for (const bad of ['', 'allow:', 'allow:A=B', 'all']) expect(readEnvironmentMode(bad)).toBeUndefined();
});
