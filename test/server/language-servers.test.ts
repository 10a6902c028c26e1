import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { answering } from '@rootward/mcp/testing';
import { expect, test, vi } from 'vitest';
import { bareEnvironment, connectRootward, makeFolders, textOf } from './fixtures/rootward.js';

const folders = makeFolders('a', 'b', 'many', 'notes');
const SCRIPTED = fileURLToPath(
  new URL('../../packages/lsp/test/fixtures/scripted-server.mjs', import.meta.url),
);
const BIN = fileURLToPath(new URL('../../node_modules/.bin', import.meta.url));
const WAIT = 30_000;
const STARTS = 50;
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
  writeFileSync(config, JSON.stringify({ languageServers: { toy } }));
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
  await vi.waitFor(() => expect(told('folders')).toHaveLength(2), WAIT);
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

test('a client without roots is not asked, and the language server gets the folders of the command line', async () => {
  const toy = toyServer('flags');
  const { client } = await connectRootward([...toy.args, '--root', folders.path('a')]);
  await client.callTool('outline', { file: 'x.toy' });
  expect(client.asked).toEqual([]);
  expect(toy.notes().flatMap((note) => note['initialize'] ?? [])).toMatchObject([
    { workspaceFolders: [folderOf('a')] },
  ]);
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
  { timeout: 300_000 },
  async () => {
    const env = { ...bareEnvironment(), PATH: `${BIN}${delimiter}${process.env['PATH'] ?? ''}` };
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
    await vi.waitFor(() => expect(workingIn(folders.path('many'))).toEqual([]), WAIT);
  },
);
