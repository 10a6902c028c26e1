import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { answering } from '@rootward/mcp/testing';
import { expect, test } from 'vitest';
import { bareEnvironment, connectRootward, makeFolders, startRootward, textOf } from './fixtures/rootward.js';
import { eventually } from '../../testing/eventually.js';

const folders = makeFolders('a', 'b', 'many', 'notes', 'trap');
const SCRIPTED = fileURLToPath(
  new URL('../../packages/lsp/test/fixtures/scripted-server.mjs', import.meta.url),
);
const BIN = fileURLToPath(new URL('../../node_modules/.bin', import.meta.url));
/** `npm run soak` raises it. */
const STARTS = Number(process.env['ROOTWARD_SERVER_STARTS'] ?? 18);
const AT_ONCE = 4;

for (const name of ['a', 'b'] as const) writeFileSync(join(folders.path(name), 'x.toy'), name);
writeFileSync(join(folders.path('many'), 'one.ts'), 'export const one = 1;\n');

/** A configuration with a language server that notes what reaches it, and its notes. */
function toyServer(name: string): {
  readonly args: readonly string[];
  notes(): readonly Record<string, unknown>[];
} {
  const record = join(folders.path('notes'), name);
  const workspaceFolders = { supported: true, changeNotifications: true };
  const script = { record, capabilities: { documentSymbolProvider: true, workspace: { workspaceFolders } } };
  const toy = { command: SCRIPTED, args: [JSON.stringify(script)], extensions: { '.toy': 'toy' } };
  const config = join(folders.path('notes'), `${name}.json`);
  // Its notes are outside the roots, and each change of the roots would start it again.
  const sandbox = { programs: { toy: 'off' } };
  writeFileSync(config, JSON.stringify({ languageServers: { toy }, sandbox }));
  writeFileSync(record, '');
  return {
    args: ['--config', config],
    notes: () =>
      readFileSync(record, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
  };
}

function folderOf(name: 'a' | 'b'): { readonly uri: string; readonly name: string } {
  return { uri: folders.uri(name), name };
}

test('a language server is told of the client’s folders, of one that comes and of one that goes', async () => {
  const toy = toyServer('follows');
  const { client } = await connectRootward(toy.args, { roots: answering([folderOf('a')]) });
  expect(textOf(await client.callTool('outline', { file: 'x.toy' }))).toContain('served by');
  client.changeRoots(answering([folderOf('a'), folderOf('b')]));
  await client.callTool('outline', { file: join(folders.path('b'), 'x.toy') });
  client.changeRoots(answering([folderOf('b')]));
  await client.callTool('outline', { file: join(folders.path('b'), 'x.toy') });
  const told = (key: string): readonly unknown[] => toy.notes().flatMap((note) => note[key] ?? []);
  await eventually(() => expect(told('folders')).toHaveLength(2));
  expect(told('initialize')).toMatchObject([{ workspaceFolders: [folderOf('a')] }]);
  expect(told('folders')).toEqual([
    { added: [folderOf('b')], removed: [] },
    { added: [], removed: [folderOf('a')] },
  ]);
  const info = await client.callTool('workspace_info');
  expect(info['structuredContent']).toMatchObject({
    servers: [{ server: 'toy', state: 'running', folders: [folders.path('b')] }],
  });
});

test('a client that gives a token is told what a question about code waits for', async () => {
  const root = folders.path('many');
  const env = { ...bareEnvironment(), ROOTWARD_PROGRAM_FOLDERS: BIN };
  writeFileSync(join(root, 'told.py'), 'def told(): ...\n');
  const { client } = await connectRootward(['--root', root], {}, { env });
  const ask = async (progressToken: string): Promise<readonly unknown[]> => {
    const meta = { progressToken };
    expect(textOf(await client.callTool('find_symbol', { query: 'told' }, { meta }))).toContain('told()');
    return client.received.flatMap((message) =>
      'method' in message &&
      message.method === 'notifications/progress' &&
      message.params?.['progressToken'] === progressToken
        ? [message.params['message']]
        : [],
    );
  };
  expect(await ask('first')).toEqual(
    expect.arrayContaining(['pyright is starting', 'pyright is reading its files']),
  );
  expect(await ask('second')).toEqual([]);
  rmSync(join(root, 'told.py'));
});

test('a client without roots is not asked, and the language server gets the folders of the command line', async () => {
  const toy = toyServer('flags');
  const { client } = await connectRootward([...toy.args, '--root', folders.path('a')]);
  await client.callTool('outline', { file: 'x.toy' });
  expect(client.asked).toEqual([]);
  expect(toy.notes().flatMap((note) => note['initialize'] ?? [])).toMatchObject([
    { workspaceFolders: [folderOf('a')] },
  ]);
});

test('workspace_info says why a language server does not run', async () => {
  const config = join(folders.path('notes'), 'crashes.json');
  const script = JSON.stringify({ crash: 'on-start' });
  const toy = { command: SCRIPTED, args: [script], extensions: { '.toy': 'toy' } };
  writeFileSync(config, JSON.stringify({ languageServers: { toy } }));
  const { client } = await connectRootward(['--config', config, '--root', folders.path('a')]);
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const result = await client.callTool('outline', { file: 'x.toy' });
    expect(result['isError']).toBe(true);
    expect(textOf(result)).toContain('exit code 3');
  }
  const info = await client.callTool('workspace_info');
  const reason = expect.stringMatching(/failed 2 times.*exit code 3.*next attempt in/);
  expect(info['structuredContent']).toMatchObject({ servers: [{ server: 'toy', state: 'failed', reason }] });
  expect(textOf(info)).toMatch(/Language server toy: failed \(it failed 2 times/);
  expect(textOf(await client.callTool('read_text_file', { path: 'x.toy' }))).toBe('a');
});

/** A root whose own `node_modules/.bin` holds language servers that leave a mark when they run. */
function bringOwnServers(): { readonly bin: string; readonly mark: string } {
  const modules = join(folders.path('trap'), 'node_modules');
  rmSync(modules, { recursive: true, force: true });
  const mark = join(folders.path('notes'), 'ran');
  const program = (path: string): string => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `#!/bin/sh\ntouch '${mark}'\n`);
    chmodSync(path, 0o755);
    return path;
  };
  const bin = join(modules, '.bin');
  program(join(bin, 'pyright-langserver'));
  program(join(bin, 'python3'));
  const native = `@typescript/typescript-${process.platform}-${process.arch}`;
  program(join(modules, native, 'lib', 'tsc'));
  writeFileSync(join(modules, native, 'package.json'), JSON.stringify({ name: native }));
  symlinkSync(program(join(modules, 'typescript', 'bin', 'tsc')), join(bin, 'tsc'));
  const manifest = JSON.stringify({ name: 'typescript', version: '7.0.2' });
  writeFileSync(join(modules, 'typescript', 'package.json'), manifest);
  writeFileSync(join(folders.path('trap'), 'x.py'), 'x = 1\n');
  writeFileSync(join(folders.path('trap'), 'x.ts'), 'const x = 1;\n');
  return { bin, mark };
}

test('a language server that the workspace brings along is never run, although npx puts it on PATH', async () => {
  const { bin, mark } = bringOwnServers();
  const only = { ...bareEnvironment(), PATH: `${bin}${delimiter}/usr/bin${delimiter}/bin` };
  const alone = await connectRootward(['--root', folders.path('trap')], {}, { env: only });
  for (const file of ['x.py', 'x.ts']) {
    const result = await alone.client.callTool('references', { symbol: 'x', file });
    expect(result['isError']).toBe(true);
    expect(textOf(result)).toContain('was found only where it must not come from');
    expect(textOf(result)).toContain('Install it elsewhere');
  }
  const both = { ...only, ROOTWARD_PROGRAM_FOLDERS: BIN };
  const beside = await connectRootward(['--root', folders.path('trap')], {}, { env: both });
  for (const file of ['x.py', 'x.ts']) {
    expect(textOf(await beside.client.callTool('outline', { file }))).toMatch(/^1 x$/);
  }
  expect(existsSync(mark)).toBe(false);
});

test('rootward doctor lists the language servers that are installed, and those held back', async () => {
  const { bin } = bringOwnServers();
  const env = {
    ...bareEnvironment(),
    PATH: [bin, '/usr/bin', '/bin'].join(delimiter),
    ROOTWARD_PROGRAM_FOLDERS: BIN,
  };
  const findings = async (root: 'a' | 'trap', named = BIN): Promise<string> => {
    const server = startRootward(['doctor', '--root', folders.path(root)], {
      env: { ...env, ROOTWARD_PROGRAM_FOLDERS: named },
    });
    let text = '';
    for await (const chunk of server.input) text += String(chunk);
    return text;
  };
  const installed = await findings('a');
  for (const name of ['typescript (TypeScript and JavaScript)', 'pyright (Python)', 'bash-language-server']) {
    expect(installed).toContain(name);
  }
  expect(await findings('trap', '')).toMatch(/installed and not used \(inside a root\): .*pyright/);
});

/** Processes that work in a folder. */
function workingIn(folder: string): readonly string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readlinkSync(`/proc/${pid}/cwd`) === folder;
    } catch {
      return false;
    }
  });
}

test.skipIf(process.platform !== 'linux')(
  `${STARTS} servers with a language server running come, go in every way, and leave no process behind`,
  async () => {
    const env = { ...bareEnvironment(), ROOTWARD_PROGRAM_FOLDERS: BIN };
    const ends = Array.from({ length: STARTS }, (_, index) => index % 3);
    let most = 0;
    const once = async (end: number): Promise<void> => {
      const { server, client } = await connectRootward(['--root', folders.path('many')], {}, { env });
      expect(textOf(await client.callTool('outline', { file: 'one.ts' }))).toContain('one');
      most = Math.max(most, workingIn(folders.path('many')).length);
      if (end === 0) server.output.end();
      else server.process.kill(end === 1 ? 'SIGTERM' : 'SIGKILL');
      await server.exit;
    };
    const workers = Array.from({ length: AT_ONCE }, async () => {
      for (let end = ends.pop(); end !== undefined; end = ends.pop()) await once(end);
    });
    await Promise.all(workers);
    expect(most).toBeGreaterThan(0);
    await eventually(() => expect(workingIn(folders.path('many'))).toEqual([]));
  },
);
