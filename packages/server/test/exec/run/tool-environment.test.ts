import { symlinkSync } from 'node:fs';
import type { Root } from '@rootward/core';
import { describe, expect, test } from 'vitest';
import { MINIMAL, readEnvironmentMode } from '../../../src/settings/values/environment-mode.js';
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
  roots: describeRoots([root('/data/app')]),
  project: '/p',
  sdk: '/sdk',
  filePrefix: '/tmp/call-1-',
  channelTag: 'tag',
  jsonTool: undefined,
  node: '/bin/node',
};

describe('toolEnvironment()', () => {
  test('puts what is over 64 KiB into files, whatever it is', () => {
    const long = 'é'.repeat(40_000);
    const roots = Array.from({ length: 5000 }, (_, n) => root(`/data/some/folder/root-${n}`));
    const { variables, files } = toolEnvironment(inherited({}), {
      ...call,
      argsJson: long,
      metadataJson: long,
      roots: describeRoots(roots),
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
    const PATH = '/usr/bin:/data/app/node_modules/.bin:/other/node_modules/.bin:/data/app/bin';
    expect(toolEnvironment(inherited({ PATH }), call).variables['PATH']).toBe(
      '/usr/bin:/other/node_modules/.bin:/data/app/bin',
    );
  });

  test('leaves them out under another name, too', () => {
    const PATH = `${tree.path('link/node_modules/.bin')}:/usr/bin`;
    const roots = describeRoots([root(tree.path('app'))]);
    expect(toolEnvironment(inherited({ PATH }), { ...call, roots }).variables['PATH']).toBe('/usr/bin');
  });

  test('leaves out folders of PATH whose meaning depends on where a tool is', () => {
    const PATH = './node_modules/.bin::/usr/bin:.';
    expect(toolEnvironment(inherited({ PATH }), call).variables['PATH']).toBe('/usr/bin');
    // An empty one would mean the current directory.
    for (const none of ['.', '/data/app/node_modules/.bin']) {
      expect(toolEnvironment(inherited({ PATH: none }), call).variables).not.toHaveProperty('PATH');
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
    expect([withJq['MCPBASH_JSON_TOOL_BIN'], withJq['MCP_NODE_BIN']]).toEqual(['/usr/bin/jq', undefined]);
  });
});

test('readEnvironmentMode() knows three modes', () => {
  expect(readEnvironmentMode('inherit')).toEqual({ kind: 'inherit' });
  expect(readEnvironmentMode('allow: A ,B_2')).toEqual({ kind: 'allow', names: ['A', 'B_2'] });
  for (const bad of ['', 'allow:', 'allow:A=B', 'all']) expect(readEnvironmentMode(bad)).toBeUndefined();
});
