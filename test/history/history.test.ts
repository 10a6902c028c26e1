import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { connectToProcess, ScriptedClient } from '@rootward/mcp/testing';
import { afterAll, describe, expect, test } from 'vitest';
import { eventually } from '../../testing/eventually.js';
import { makeProject } from '../exec/fixtures/tools-project.js';
import { runCommand } from '../exec/fixtures/run-command.js';
import { OTHER_TOKEN, startHttp, TOKEN } from '../server/fixtures/http.js';
import {
  bareEnvironment,
  connectRootward,
  makeFolders,
  PROGRAM,
  textOf,
} from '../server/fixtures/rootward.js';

type Result = Readonly<Record<string, unknown>>;

const folders = makeFolders('state');

/** A folder, and a history of its own. */
function place(name: string) {
  const work = join(folders.top, name, 'work');
  mkdirSync(work, { recursive: true });
  const env = { XDG_STATE_HOME: join(folders.top, name, 'state') };
  return { work, env, history: join(env.XDG_STATE_HOME, 'rootward', 'history') };
}

async function call(client: ScriptedClient, name: string, args: object): Promise<Result> {
  return client.request('tools/call', { name, arguments: args });
}

async function listed(client: Client): Promise<unknown> {
  const { structuredContent } = await client.callTool({ name: 'change_history', arguments: {} });
  return (structuredContent as Result)['changes'];
}

function changeOf(result: Result): string {
  return (result['structuredContent'] as { readonly changeId: string }).changeId;
}

test('rootward history lists what a server changed, shows it, and rootward undo takes it back', async () => {
  const { work, env } = place('command-line');
  writeFileSync(join(work, 'a.txt'), 'one\ntwo\n');
  const { client, server } = await connectRootward([work], {}, { env });
  const id = changeOf(await call(client, 'write_file', { path: 'a.txt', content: 'one\nthree\n' }));
  await call(client, 'create_directory', { path: 'x/y' });
  server.process.kill();
  await server.exit;
  const here = { env, cwd: work };
  const list = await runCommand(['history'], here);
  expect(list.out.split('\n')).toEqual([
    expect.stringMatching(/create_directory .*created x, created x\/y$/),
    expect.stringMatching(new RegExp(`^${id} .*write_file .*\\+1 −1 +changed a.txt$`)),
    '',
  ]);
  const elsewhere = { env, cwd: folders.top };
  expect((await runCommand(['history', work], elsewhere)).out).toBe(list.out);
  expect((await runCommand(['history', 'show', id, work], elsewhere)).out).toContain('+three');
  expect((await runCommand(['undo', work, '--since', '1h', '--dry-run'], elsewhere)).out).toContain('a.txt');
  expect((await runCommand(['undo', id, work, '--dry-run'], elsewhere)).out).toContain('a.txt');
  const shown = await runCommand(['history', 'show', id], { ...here, env: { ...env, FORCE_COLOR: '1' } });
  expect(shown.out).toContain('\u001B[31m-two\u001B[39m\n\u001B[32m+three\u001B[39m');
  const asked = JSON.parse((await runCommand(['history', '--json', '--path', 'a.txt'], here)).out) as Result;
  expect(asked).toMatchObject({ changes: [{ id, tool: 'write_file' }], more: false });
  expect((await runCommand(['undo', '--since', '1h', '--dry-run'], here)).out).toContain('Would restore:');
  const [{ session = '' } = {}] = asked['changes'] as readonly { readonly session?: string }[];
  const ofSession = await runCommand(['undo', '--session', session, '--dry-run'], here);
  expect(ofSession.out).toContain(join(work, 'a.txt'));
  expect((await runCommand(['undo', '--session', 'another'], here)).out).toBe(`Nothing to undo in ${work}\n`);
  const unknown = await runCommand(['undo', 'none', '--json'], here);
  expect(JSON.parse(unknown.out)).toMatchObject({ error: { code: 'unknown-change' } });
  expect(readFileSync(join(work, 'a.txt'), 'utf8')).toBe('one\nthree\n');
  writeFileSync(join(work, 'x/mine'), '');
  const refused = await runCommand(['undo', '--since', '1h'], here);
  expect([refused.code, refused.err]).toEqual([2, expect.stringContaining(join(work, 'x'))]);
  expect(refused.err).toMatch(/ undo --since 1h --force\n$/);
  rmSync(join(work, 'x/mine'));
  const undone = await runCommand(['undo', '--since', '1h', '--json'], here);
  expect(JSON.parse(undone.out)).toMatchObject({ applied: true });
  expect(readdirSync(work)).toEqual(['a.txt']);
  expect(readFileSync(join(work, 'a.txt'), 'utf8')).toBe('one\ntwo\n');
  expect((await runCommand(['history', 'prune'], here)).out).toContain('forgot 0 changes');
});

test('the command that rootward undo prints takes its undo back, from another folder, too', async () => {
  const { work, env } = place('printed');
  const { client, server } = await connectRootward([work], {}, { env });
  const id = changeOf(await call(client, 'write_file', { path: 'a.txt', content: 'new' }));
  server.process.kill();
  await server.exit;
  const elsewhere = { env, cwd: folders.top };
  const { out } = await runCommand(['undo', id, work], elsewhere);
  expect(existsSync(join(work, 'a.txt'))).toBe(false);
  const [, line = ''] = /To take this back: (.*)/.exec(out) ?? [];
  const shell = spawnSync('sh', ['-c', line], {
    env: { ...process.env, ...env },
    cwd: folders.top,
    encoding: 'utf8',
  });
  expect([shell.status, shell.stdout]).toEqual([0, expect.stringContaining('a.txt')]);
  expect(readFileSync(join(work, 'a.txt'), 'utf8')).toBe('new');
});

test('the history is out of reach of the tools, also below a root', async () => {
  const { work, env, history } = place('reach');
  const top = join(work, '..');
  const { client } = await connectRootward([top], {}, { env });
  await call(client, 'write_file', { path: 'work/a.txt', content: 'x' });
  const [project = ''] = readdirSync(join(history, 'projects'));
  const journal = join(history, 'projects', project, 'journal');
  expect(existsSync(journal)).toBe(true);
  for (const [name, args] of [
    ['read_text_file', { path: journal }],
    ['list_directory', { path: history }],
    ['write_file', { path: journal, content: '' }],
    ['delete_file', { path: join(env.XDG_STATE_HOME, 'rootward'), recursive: true }],
    ['move_file', { source: env.XDG_STATE_HOME, destination: join(top, 'moved') }],
  ] as const) {
    expect([name, (await call(client, name, args))['isError']]).toEqual([name, true]);
  }
  expect(textOf(await call(client, 'search_content', { pattern: 'write_file' }))).not.toContain('journal');
});

test('two servers on one project lose no entry, and either takes back what the other did', async () => {
  const { work, env } = place('two');
  const [one, two] = await Promise.all(
    ['one', 'two'].map(async () => (await connectRootward([work], {}, { env })).client),
  );
  const writes = Array.from({ length: 20 }, (_, index) => `file-${index}`);
  const ids = await Promise.all(
    writes.map(async (path, index) => {
      const client = index % 2 === 0 ? one! : two!;
      return changeOf(await call(client, 'write_file', { path, content: path }));
    }),
  );
  const answer = await call(one!, 'change_history', { limit: 100 });
  const { changes } = answer['structuredContent'] as { readonly changes: readonly { readonly id: string }[] };
  expect(changes.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
  for (const [index, id] of ids.entries()) {
    await call(index % 2 === 0 ? two! : one!, 'undo_changes', { id });
  }
  expect(readdirSync(work)).toEqual([]);
});

test('over HTTP each principal sees and takes back its own changes only', async () => {
  const { work, env, history } = place('http');
  const { url } = await startHttp([work], { env });
  const connect = async (token: string): Promise<Client> => {
    const client = new Client({ name: 'http', version: '1' });
    const requestInit = { headers: { Authorization: `Bearer ${token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
    return client;
  };
  const [mine, theirs] = [await connect(TOKEN), await connect(OTHER_TOKEN)];
  const written = await mine.callTool({ name: 'write_file', arguments: { path: 'a.txt', content: 'mine' } });
  const id = changeOf(written);
  expect(await listed(mine)).toMatchObject([{ id }]);
  expect(await listed(theirs)).toEqual([]);
  expect(await theirs.callTool({ name: 'undo_changes', arguments: { id } })).toMatchObject({ isError: true });
  await theirs.callTool({ name: 'write_file', arguments: { path: 'b.txt', content: 'theirs' } });
  expect(await mine.callTool({ name: 'undo_changes', arguments: { id } })).not.toMatchObject({
    isError: true,
  });
  await Promise.all([mine.close(), theirs.close()]);
  const kept = readdirSync(history, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'));
  expect(kept.join('\n')).not.toContain(TOKEN);
  expect(kept.join('\n')).not.toContain(OTHER_TOKEN);
  // A digest tells them apart; an undo is a change of whoever asked for it.
  const principals = [...kept.join('\n').matchAll(/"principal":"([^"]*)"/g)].map(
    ([, principal]) => principal,
  );
  expect(principals).toEqual([
    expect.stringMatching(/^[0-9a-f]{16}$/),
    expect.stringMatching(/^[0-9a-f]{16}$/),
    principals[0],
  ]);
  expect(principals[1]).not.toBe(principals[0]);
});

test('--history off keeps nothing, and has no tools for it', async () => {
  const { work, env, history } = place('off');
  const { client } = await connectRootward([work, '--history', 'off'], {}, { env });
  const written = await call(client, 'write_file', { path: 'a.txt', content: 'x' });
  expect(written['structuredContent']).toEqual({ changed: true, content: 'Successfully wrote to a.txt' });
  const { tools } = (await client.request('tools/list')) as {
    readonly tools: readonly { readonly name: string }[];
  };
  expect(tools.map(({ name }) => name)).not.toContain('undo_changes');
  expect(existsSync(history)).toBe(false);
});

test('--history-exec keeps what an executable changed', async () => {
  const { work, env } = place('exec');
  writeFileSync(join(work, 'a.txt'), 'before');
  const project = makeProject({
    spoil: 'cd "$(mcp_roots_list | head -n 1)"; echo spoilt > a.txt; mkdir new; rm -f b; echo done',
  });
  writeFileSync(join(work, 'b'), 'b');
  chmodSync(join(work, 'b'), 0o640);
  const args = [work, '--project', project.path, '--history-exec'];
  const { client } = await connectRootward(args, {}, { env });
  const { _meta: meta } = await call(client, 'spoil', {});
  expect(readFileSync(join(work, 'a.txt'), 'utf8')).toBe('spoilt\n');
  await call(client, 'undo_changes', { id: (meta as Result)['rootward/changeId'] });
  expect(readdirSync(work)).toEqual(['a.txt', 'b']);
  expect(readFileSync(join(work, 'a.txt'), 'utf8')).toBe('before');
});

test('--history-exec keeps what an executable changed whose client has left', async () => {
  const { work, env } = place('left');
  writeFileSync(join(work, 'a.txt'), 'before');
  const project = makeProject({
    spoil: 'cd "$(mcp_roots_list | head -n 1)"; echo spoilt > a.txt; exec sleep 600',
  });
  const args = [work, '--project', project.path, '--history-exec'];
  const { client, server } = await connectRootward(args, {}, { env });
  void call(client, 'spoil', {}).catch(() => undefined);
  await eventually(() => expect(readFileSync(join(work, 'a.txt'), 'utf8')).toBe('spoilt\n'));
  server.process.stdin?.end();
  await server.exit;
  const here = { env, cwd: work };
  const { changes } = JSON.parse((await runCommand(['history', '--json'], here)).out) as {
    readonly changes: readonly Result[];
  };
  expect(changes).toMatchObject([
    { tool: 'spoil', files: [{ path: join(work, 'a.txt'), action: 'changed' }] },
  ]);
  await runCommand(['undo', String(changes[0]?.['id'])], here);
  expect(readFileSync(join(work, 'a.txt'), 'utf8')).toBe('before');
});

/** What only the server sees at the folder `$0`: a disk of a few pages, and one that nothing can be written to. */
const DISKS = {
  full: 'mount -t tmpfs -o size=64k,mode=700 none "$0" && exec "$@"',
  'read-only': 'mount -t tmpfs -o ro none "$0" && exec "$@"',
};
const canMount = spawnSync('unshare', ['-m', 'sh', '-c', DISKS.full, '/mnt', 'true']).status === 0;

describe.each(['best-effort', 'required'] as const)('where nothing can be kept, %s', (mode) => {
  const connections: { process: { kill(signal: 'SIGKILL'): unknown } }[] = [];
  afterAll(() => {
    for (const { process: child } of connections) child.kill('SIGKILL');
  });

  /** Tries two changes; in front of the server's command line stands what spoils its disk. */
  async function tryIn(name: string, prefix: readonly string[], state: string): Promise<void> {
    const { work } = place(`${name}-${mode}`);
    writeFileSync(join(work, 'large.bin'), Buffer.alloc(100_000, 1));
    writeFileSync(join(work, 'other.bin'), Buffer.alloc(100_000, 2));
    const [program, ...args] = [...prefix, process.execPath, PROGRAM, work, '--history', mode];
    const connection = connectToProcess(program, {
      args,
      env: { ...bareEnvironment(), XDG_STATE_HOME: state },
    });
    connections.push(connection);
    const client = new ScriptedClient(connection);
    await client.connect();
    const results = [
      await call(client, 'write_file', { path: 'large.bin', content: 'small' }),
      await call(client, 'delete_file', { path: 'other.bin' }),
    ];
    const made = mode === 'best-effort';
    expect(results.map((result) => result['isError'] === true)).toEqual([!made, !made]);
    expect(readdirSync(work)).toEqual(made ? ['large.bin'] : ['large.bin', 'other.bin']);
    connection.output.end();
    await connection.exit;
    expect(connection.stderr().split('changes cannot be kept in the history')).toHaveLength(made ? 2 : 1);
  }

  test.runIf(canMount).each(Object.entries(DISKS))('on a disk that is %s', async (kind, script) => {
    const state = join(folders.top, `${kind}-${mode}-state`);
    mkdirSync(state);
    await tryIn(kind, ['unshare', '-m', 'sh', '-c', script, state], state);
  });

  test('with a state directory that is missing and cannot be made', async () => {
    const file = join(folders.top, `file-${mode}`);
    writeFileSync(file, '');
    await tryIn('missing', [], join(file, 'state'));
  });
});
