import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readPathRoots, type Root } from '@rootward/core';
import {
  findServer,
  knownServers,
  readServerSettings,
  type ServerDefinition,
  type ServerFinding,
} from '@rootward/lsp';
import { Folder } from '../fixtures/folder.js';
import { environment as projectEnvironment, known } from '../fixtures/real-servers.js';

let home: Folder;
let roots: readonly Root[];

beforeEach(async () => {
  home = new Folder({
    'root/bin/toy-server': '',
    'root/script.js': '',
    'safe/toy-server': '',
    'safe/script.js': '',
  });
  for (const name of ['root/bin/toy-server', 'safe/toy-server']) chmodSync(home.at(name), 0o755);
  mkdirSync(home.at('links'));
  const reading = { source: 'flag', home: '/nonexistent' } as const;
  ({ roots } = await readPathRoots([{ path: home.at('root') }], reading));
});

afterEach(() => home[Symbol.dispose]());

const TOY: ServerDefinition = {
  name: 'toy',
  language: 'Toy',
  extensions: { '.toy': 'toy' },
  commands: ['toy-server'],
  args: ['--stdio'],
  install: 'nothing',
};

function find(
  path: readonly string[],
  definition: ServerDefinition = TOY,
  trustWorkspaceServers = false,
): Promise<ServerFinding> {
  return findServer(definition, { environment: { PATH: path.join(':') }, roots, trustWorkspaceServers });
}

test('findServer() passes over a program inside a root and takes the next one on PATH', async () => {
  const found = await find([home.at('root/bin'), home.at('safe')]);
  expect(found).toMatchObject({
    kind: 'found',
    command: { program: home.at('safe/toy-server'), args: ['--stdio'] },
  });
});

test('findServer() sees through a link that leads into a root', async () => {
  symlinkSync(home.at('root/bin/toy-server'), home.at('links/toy-server'));
  expect(await find([home.at('links')])).toMatchObject({ kind: 'inside-root', reason: 'inside a root' });
});

test('findServer() takes a program inside a root when the operator trusts the workspace', async () => {
  const found = await find([home.at('root/bin')], TOY, true);
  expect(found).toMatchObject({ command: { program: home.at('root/bin/toy-server') } });
});

test('findServer() ignores relative folders of PATH', async () => {
  expect(await find(['.', 'safe', ''])).toEqual({ kind: 'not-installed' });
});

test('findServer() checks a program named by its path like any other', async () => {
  const at = (path: string): ServerDefinition => ({ ...TOY, commands: [home.at(path)] });
  expect(await find([], at('root/script.js'))).toMatchObject({ kind: 'inside-root' });
  expect(await find([], at('safe/script.js'))).toMatchObject({
    command: { program: process.execPath, args: [home.at('safe/script.js'), '--stdio'] },
  });
});

test('findServer() does not start what runs code of the workspace, unless it is trusted', async () => {
  const definition = { ...TOY, runsWorkspaceCode: 'it builds' };
  expect(await find([home.at('safe')], definition)).toEqual({ kind: 'runs-workspace-code' });
  expect(await find([home.at('safe')], definition, true)).toMatchObject({ kind: 'found' });
});

test('findServer() does without a server whose companion is only in a root', async () => {
  home.write({
    'root/node_modules/lib/index.js': '',
    'root/bin/run.js': '',
    'safe/node_modules/lib/index.js': '',
  });
  const companion = { module: 'lib/index.js', option: ['lib', 'path'] } as const;
  const definition = {
    ...TOY,
    commands: [home.at('safe/script.js')],
    companion,
    initializationOptions: { a: 1 },
  };
  expect(await find([], definition)).toMatchObject({
    command: { initializationOptions: { a: 1, lib: { path: home.at('safe/node_modules/lib/index.js') } } },
  });
  expect(await find([], { ...definition, companion: { ...companion, module: 'none' } })).toEqual({
    kind: 'without-companion',
  });
});

test('findServer() starts the platform program of TypeScript 7, not the script in front of it', async () => {
  const [typescript] = known('typescript');
  const options = { environment: projectEnvironment, roots, trustWorkspaceServers: false };
  expect(await findServer(typescript!, options)).toMatchObject({
    command: { program: expect.stringMatching(/@typescript.typescript-.*lib.tsc(\.exe)?$/) },
  });
});

test('findServer() does not take an older TypeScript for a language server', async () => {
  home.write({ 'old/package.json': '{"name":"typescript","version":"5.9.3"}', 'old/bin/tsc': '' });
  const typescript = knownServers.find(({ name }) => name === 'typescript');
  expect(await find([home.at('old/bin')], typescript)).toEqual({ kind: 'not-installed' });
});

test('findServer() takes what stands behind a rustup shim, and a shim without it is not installed', async () => {
  home.write({ 'cargo/bin/rustup': '', 'rustup/settings.toml': 'default_toolchain = "stable"\n' });
  chmodSync(home.at('cargo/bin/rustup'), 0o755);
  symlinkSync('rustup', home.at('cargo/bin/toy-server'));
  const environment = { PATH: home.at('cargo/bin'), RUSTUP_HOME: home.at('rustup') };
  const options = { environment, roots, trustWorkspaceServers: false };
  expect(await findServer(TOY, options)).toEqual({ kind: 'not-installed' });
  for (const toolchain of ['nightly', 'stable']) {
    const program = `rustup/toolchains/${toolchain}/bin/toy-server`;
    home.write({ [program]: '' });
    chmodSync(home.at(program), 0o755);
    expect(await findServer(TOY, options)).toMatchObject({ command: { program: home.at(program) } });
  }
});

test('findServer() takes a configured program of a known server as it is', async () => {
  const servers = readServerSettings({ typescript: { command: home.at('safe/toy-server') } });
  const typescript = servers.find(({ name }) => name === 'typescript')!;
  expect(await find([], typescript)).toMatchObject({
    kind: 'found',
    command: { program: home.at('safe/toy-server'), args: ['--lsp', '--stdio'] },
  });
});

test('findServer() says when the companion of a program is missing, and takes one that the operator names', async () => {
  const command = home.at('safe/toy-server');
  const configured = (setting: object): ServerDefinition =>
    readServerSettings({ 'typescript-language-server': { command, ...setting } }).find(
      ({ name }) => name === 'typescript-language-server',
    )!;
  expect(await find([], configured({}))).toEqual({ kind: 'without-companion' });
  const initializationOptions = { tsserver: { path: '/opt/tsserver.js' } };
  expect(await find([], configured({ initializationOptions }))).toMatchObject({
    kind: 'found',
    command: { initializationOptions },
  });
});

test('findServer() runs a script of Node without an ending with our own Node, and keeps one from files it does not need', async () => {
  home.write({
    'lib/node_modules/toy/bin/toy': '#!/usr/bin/env node\n',
    'lib/bash-toy': '#!/bin/bash node\n',
  });
  for (const name of ['lib/node_modules/toy/bin/toy', 'lib/bash-toy']) chmodSync(home.at(name), 0o755);
  const program = home.at('lib/node_modules/toy/bin/toy');
  const definition = { ...TOY, commands: [program] };
  expect(await find([], definition)).toMatchObject({
    command: { program: process.execPath, args: [program, '--stdio'] },
  });
  expect(await find([], { ...definition, readsOnlyItself: true })).toMatchObject({
    command: {
      program: process.execPath,
      args: [
        expect.stringMatching(/^--(?:experimental-)?permission$/),
        `--allow-fs-read=${home.at('lib/node_modules')}/*`,
        program,
        '--stdio',
      ],
    },
  });
  expect(await find([], { ...TOY, commands: [home.at('lib/bash-toy')] })).toMatchObject({
    command: { program: home.at('lib/bash-toy'), args: ['--stdio'] },
  });
});
