import { McpServer as McpServerV1 } from '@modelcontextprotocol/sdk/server/mcp.js';
import { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, test } from 'vitest';
import { prepareWorkspace, withWorkspace, type WorkspaceOptions } from '../../src/index.js';
import { withWorkspace as withWorkspaceV1 } from '../../src/sdk-v1/index.js';

const INFO = { name: 's', version: '1.0.0' };
const WRONG = [
  [{ root: ['/a'] }, 'Cannot use the option "root": it does not exist; did you mean "roots"?'],
  [
    { clientroots: 'add' },
    'Cannot use the option "clientroots": it does not exist; did you mean "clientRoots"?',
  ],
  [{ zebra: 1 }, 'Cannot use the option "zebra": it does not exist'],
  [{ roots: '/a' }, 'Cannot use "/a" as the option "roots": it must be an array of strings'],
  [{ roots: [7] }, 'Cannot use [7] as the option "roots": it must be an array of strings'],
  [
    { clientRoots: 'merge' },
    'Cannot use "merge" as the option "clientRoots": it must be "replace", "add" or "ignore"',
  ],
  [{ createScope: {} }, 'Cannot use {} as the option "createScope": it must be a function'],
  [{ handleArgument: true }, 'Cannot use true as the option "handleArgument": it must be a string or false'],
  [{ handleKey: 'short' }, 'Cannot sign handles: the option handleKey has 5 bytes, at least 32 are needed'],
  [{ limits: { readyTimeout: -1 } }, 'Cannot use -1 as readyTimeout: it must be 0 or more milliseconds'],
  [{ denyAbsolute: ['a'] }, 'Cannot deny "a": it is not an absolute path'],
  ['/a', 'Cannot use the options of a workspace: they are not an object'],
] as const;

describe.each([
  ['withWorkspace()', (options: WorkspaceOptions) => withWorkspace(new McpServer(INFO), options)],
  [
    'withWorkspace() of SDK v1',
    (options: WorkspaceOptions) => withWorkspaceV1(new McpServerV1(INFO), options),
  ],
  ['prepareWorkspace()', (options: WorkspaceOptions) => prepareWorkspace(options)],
])('%s', (_, use) => {
  test.each(WRONG)('refuses %j', (options, message) => {
    expect(() => use(options as WorkspaceOptions)).toThrow(
      expect.objectContaining({ code: 'invalid-option', message }),
    );
  });

  test('takes options that are undefined for options that are left out', () => {
    const options = { roots: undefined, log: undefined } as unknown as WorkspaceOptions;
    expect(() => use(options)).not.toThrow();
  });
});

describe('withWorkspace()', () => {
  test.each([
    ['tool "t"', (server: McpServer) => server.registerTool('t', {}, () => ({ content: [] }))],
    ['prompt "p"', (server: McpServer) => server.registerPrompt('p', {}, () => ({ messages: [] }))],
    [
      'resource "x:y"',
      (server: McpServer) => server.registerResource('r', 'x:y', {}, () => ({ contents: [] })),
    ],
  ])('refuses a server on which the %s is registered already', (what, register) => {
    const server = new McpServer(INFO);
    register(server);
    expect(() => withWorkspace(server)).toThrow(
      `Cannot add a workspace: the ${what} was registered before withWorkspace() was called`,
    );
  });

  test('of SDK v1 refuses such a server as well', () => {
    const server = new McpServerV1(INFO);
    server.registerTool('t', {}, () => ({ content: [] }));
    expect(() => withWorkspaceV1(server)).toThrow(/tool "t" was registered before/);
  });

  test('may be called again, which changes nothing', () => {
    const server = withWorkspace(new McpServer(INFO));
    server.registerTool('t', {}, () => ({ content: [] }));
    expect(withWorkspace(server)).toBe(server);
  });
});
