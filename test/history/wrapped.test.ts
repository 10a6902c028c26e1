import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ScriptedClient } from '@rootward/mcp/testing';
import { describe, expect, test } from 'vitest';
import { runCommand } from '../exec/fixtures/run-command.js';
import { connectRootward } from '../server/fixtures/rootward.js';
import { INNER, makeFolder, roots, wrap } from '../wrap/fixtures/wrapped.js';
import { eventually } from '../../testing/eventually.js';

const COMMAND = [process.execPath, INNER];
const FLAGS = ['--history-exec'];

/** A folder with a file, and a history of its own. */
function place() {
  const work = makeFolder('work');
  const state = makeFolder('state');
  const file = join(work, 'a.txt');
  writeFileSync(file, 'before');
  return { work, state, file, env: { XDG_STATE_HOME: state }, history: join(state, 'rootward', 'history') };
}

function changeOf(result: Readonly<Record<string, unknown>>): string | undefined {
  const { _meta: meta } = result;
  return (meta as Readonly<Record<string, string>> | undefined)?.['rootward/changeId'];
}

async function listed(cwd: string, env: NodeJS.ProcessEnv): Promise<unknown> {
  const { out } = await runCommand(['history', '--json'], { cwd, env });
  return (JSON.parse(out) as { readonly changes: unknown }).changes;
}

describe('rootward wrap --history-exec', () => {
  test.each(['legacy', 'modern'] as const)('keeps what a call changed (%s)', async (era) => {
    const { work, file, env } = place();
    const { client } = await wrap(COMMAND, { era, roots: roots(work), flags: FLAGS, env });
    const id = changeOf(await client.callTool('write', { path: file }));
    expect(readFileSync(file, 'utf8')).toBe('x');
    expect(await listed(work, env)).toMatchObject([
      { id, tool: 'write', client: expect.any(String), files: [{ action: 'changed' }] },
    ]);
    expect((await runCommand(['undo', String(id)], { cwd: work, env })).code).toBe(0);
    expect(readFileSync(file, 'utf8')).toBe('before');
    expect(changeOf(await client.callTool('echo', { value: 'x' }))).toBeUndefined();
  });

  test('also where the server dies of it, and where the call is cancelled', async () => {
    const { work, file, env } = place();
    const { client } = await wrap(COMMAND, { roots: roots(work), flags: FLAGS, env });
    expect(await client.callTool('crash', { path: file })).toMatchObject({ isError: true });
    expect(await listed(work, env)).toMatchObject([{ tool: 'crash' }]);
    const cancelling = new AbortController();
    const args = { path: join(work, 'never'), write: join(work, 'b.txt') };
    const cut = client.callTool('wait', args, { signal: cancelling.signal });
    await client.until(() => client.received.some((each) => 'method' in each && each.method === 'x/waiting'));
    cancelling.abort();
    await expect(cut).rejects.toThrow('aborted');
    await eventually(async () => {
      expect(await listed(work, env)).toMatchObject([{ tool: 'wait' }, { tool: 'crash' }]);
    });
  });

  test('leaves alone what says that it only reads, and does nothing unless asked', async () => {
    const { work, file, env, history } = place();
    const reading = { ...env, READING_TOOL: 'echo' };
    const watched = await wrap(COMMAND, { roots: roots(work), flags: FLAGS, env: reading });
    await watched.client.request('tools/list');
    await watched.client.callTool('echo', { value: 'x' });
    expect(existsSync(history)).toBe(false);
    const plain = await wrap(COMMAND, { roots: roots(work), env });
    expect(changeOf(await plain.client.callTool('write', { path: file }))).toBeUndefined();
    expect(existsSync(history)).toBe(false);
  });

  test('keeps nothing of a denied file', async () => {
    const { work, env, history } = place();
    writeFileSync(join(work, 'secret.env'), 'TOKEN-OF-MINE');
    writeFileSync(join(work, '.rootward.json'), JSON.stringify({ deny: ['*.env'] }));
    const { client } = await wrap(COMMAND, { roots: roots(work), flags: FLAGS, env });
    expect(changeOf(await client.callTool('write', { path: join(work, 'secret.env') }))).toBeUndefined();
    const kept = readdirSync(history, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'));
    expect(kept.join('\n')).not.toContain('TOKEN-OF-MINE');
  });

  test.each(['required', 'best-effort'])('%s, where nothing can be kept', async (mode) => {
    const { work, file, state, env } = place();
    writeFileSync(join(state, 'rootward'), 'a file is where the folder should be');
    const flags = [...FLAGS, '--history', mode];
    const { client } = await wrap(COMMAND, { roots: roots(work), flags, env });
    const result = await client.callTool('write', { path: file });
    const { _meta: meta } = result as { _meta?: Record<string, unknown> };
    const error = meta?.['rootward/error'] as { readonly error_type?: string } | undefined;
    const found = [error?.error_type, readFileSync(file, 'utf8')];
    expect(found).toEqual(mode === 'required' ? ['not_kept', 'before'] : [undefined, 'x']);
  });
});

test('wrap in rootward.json keeps what its servers change with --history-exec', async () => {
  const { work, file, env } = place();
  const config = join(makeFolder('config'), 'rootward.json');
  mkdirSync(join(work, 'sub'));
  writeFileSync(
    config,
    JSON.stringify({ wrap: { js: { command: process.execPath, args: [INNER] } }, history: { exec: true } }),
  );
  const { client }: { client: ScriptedClient } = await connectRootward(
    [work, '--config', config],
    {},
    { env },
  );
  const id = changeOf(await client.callTool('js_write', { path: file }));
  expect(readFileSync(file, 'utf8')).toBe('x');
  await client.callTool('undo_changes', { id });
  expect(readFileSync(file, 'utf8')).toBe('before');
});
