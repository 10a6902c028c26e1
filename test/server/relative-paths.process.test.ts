import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { eventually } from '../../testing/eventually.js';
import { Place } from '../page/fixtures/ui.js';
import { connectSdkClient, type SdkClient, type SdkClientKind } from './fixtures/sdk-clients.js';

interface Outcome {
  readonly refused: unknown;
  readonly text: string;
}

/** A client with the folders `one` and `two`, and the page of its user. */
async function start(kind: SdkClientKind) {
  const place = new Place();
  const folder = (name: string): string => join(place.project, name);
  for (const name of ['one', 'two', 'three']) mkdirSync(folder(name));
  writeFileSync(join(folder('two'), 'only.txt'), 'of two');
  const roots: { uri: string }[] = [];
  // The key of the page is in the state folder of the user, so both must have the same.
  const env = {
    ...place.environment,
    XDG_STATE_HOME: join(place.environment['HOME'] ?? '', '.local', 'state'),
  };
  const client = await connectSdkClient(kind, { args: [], env }, roots);
  const setRoots = async (...names: string[]): Promise<void> => {
    roots.splice(0, roots.length, ...names.map((name) => ({ uri: pathToFileURL(folder(name)).href })));
    await client.rootsChanged();
  };
  await setRoots('one', 'two');
  const call = (name: string, args: Record<string, unknown>) => callOf(client, name, args);
  return {
    place,
    folder,
    setRoots,
    call,
    client,
    write: (path: string, more = {}) => call('write_file', { path, content: 'text', ...more }),
  };
}

async function callOf(client: SdkClient, name: string, args: Record<string, unknown>): Promise<Outcome> {
  const result = await client.call(name, args);
  const meta = result['_meta'] as { 'rootward/error'?: { error_type: string } } | undefined;
  const content = result['content'] as readonly { readonly text: string }[];
  return {
    refused: result['isError'] === true ? meta?.['rootward/error']?.error_type : undefined,
    text: content.map(({ text }) => text).join('\n'),
  };
}

/** Revokes a folder as the page does. */
async function revoke(place: Place, path: string): Promise<void> {
  const url = await place.ui();
  const headers = { authorization: `Bearer ${url.hash.slice(1)}`, 'content-type': 'application/json' };
  await eventually(async () => {
    const stream = await fetch(`${url.origin}/stream`, { headers });
    const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!/event: processes\ndata: .*\n/.test(text)) text += (await reader.read()).value ?? '';
    await reader.cancel();
    const [, data = '[]'] = /event: processes\ndata: (.*)\n/.exec(text) ?? [];
    const [{ pid } = { pid: 0 }] = JSON.parse(data) as { pid: number }[];
    const body = JSON.stringify({ method: 'limit', pid, params: { path, limit: 'revoked' } });
    const answer = await fetch(`${url.origin}/act`, { method: 'POST', headers, body });
    expect(answer.status).toBe(200);
  });
}

describe.each(['v2 legacy', 'v1'] as const)('A session of client %s', (kind) => {
  test('is refused where the page revoked the first root, until it has seen the roots that are left', async () => {
    const { place, folder, write, call, client } = await start(kind);
    expect(await write('a.txt')).toMatchObject({ refused: undefined });
    await revoke(place, folder('one'));
    const refusal = await write('notes.txt');
    expect(refusal).toMatchObject({ refused: 'root_gone' });
    expect(refusal.text).toContain(folder('one'));
    expect(refusal.text).toContain(folder('two'));
    expect(await write('notes.txt')).toMatchObject({ refused: 'root_gone' });
    expect(existsSync(join(folder('two'), 'notes.txt'))).toBe(false);
    await call('workspace_info', {});
    expect(await write('notes.txt')).toMatchObject({ refused: undefined });
    expect(readFileSync(join(folder('two'), 'notes.txt'), 'utf8')).toBe('text');
    await client.close();
  });

  test('is refused where the client put another root in place of the first', async () => {
    const { folder, setRoots, write, call, client } = await start(kind);
    await write('a.txt');
    await setRoots('three', 'two');
    await eventually(async () => {
      expect(await call('read_text_file', { path: join(folder('one'), 'a.txt') })).toMatchObject({
        refused: 'outside_roots',
      });
    });
    // Calls that are under way together: the last ones have not read the refusal of the first.
    const written = await Promise.all(['b.txt', 'c.txt', 'd.txt'].map((path) => write(path)));
    expect(written.map(({ refused }) => refused)).toEqual(['root_gone', 'root_gone', 'root_gone']);
    await call('list_allowed_directories', {});
    expect(await write('b.txt')).toMatchObject({ refused: undefined });
    expect(existsSync(join(folder('three'), 'b.txt'))).toBe(true);
    await client.close();
  });

  test.each(['workspace_info', 'list_allowed_directories'])('has seen the roots by %s', async (tool) => {
    const { folder, setRoots, write, call, client } = await start(kind);
    await write('a.txt');
    await setRoots('two');
    await eventually(async () => expect((await call(tool, {})).text).not.toContain(folder('one')));
    expect(await write('b.txt')).toMatchObject({ refused: undefined });
    expect(existsSync(join(folder('two'), 'b.txt'))).toBe(true);
    await client.close();
  });

  test('keeps the meaning of relative paths while their root is still there', async () => {
    const { folder, setRoots, write, call, client } = await start(kind);
    await write('a.txt');
    await setRoots('three', 'one');
    await eventually(async () => {
      expect(await call('get_file_info', { path: folder('three') })).toMatchObject({ refused: undefined });
    });
    expect(await write('b.txt')).toMatchObject({ refused: undefined });
    expect(existsSync(join(folder('one'), 'b.txt'))).toBe(true);
    await client.close();
  });
});

describe.each(['v2 legacy', 'v2 modern'] as const)('A relative path of client %s', (kind) => {
  test('that only another root has is refused for changes, and read with a note', async () => {
    const { folder, write, call, client } = await start(kind);
    const other = join(folder('two'), 'only.txt');
    const refusal = await write('only.txt');
    expect(refusal).toMatchObject({ refused: 'ambiguous' });
    expect(refusal.text).toContain(other);
    for (const [tool, args] of [
      ['move_file', { source: 'only.txt', destination: 'moved.txt' }],
      ['delete_file', { path: 'only.txt' }],
      ['edit_file', { path: 'only.txt', edits: [{ oldText: 'of two', newText: 'changed' }] }],
      ['copy_file', { source: join(folder('two'), 'only.txt'), destination: 'only.txt' }],
    ] as const) {
      expect(await call(tool, args)).toMatchObject({ refused: 'ambiguous' });
    }
    expect(readFileSync(other, 'utf8')).toBe('of two');
    const read = await call('read_text_file', { path: 'only.txt' });
    expect(read).toMatchObject({ refused: undefined, text: expect.stringContaining('of two') });
    expect(read.text).toContain(`"only.txt" is not in the first root; this is ${other}`);
    await write('own.txt');
    expect((await call('read_text_file', { path: 'own.txt' })).text).toBe('text');
    expect(existsSync(join(folder('one'), 'own.txt'))).toBe(true);
    await client.close();
  });
});

describe('A request of the modern era', () => {
  test('is refused where the page revoked its first root, and works with a handle for the rest', async () => {
    const { place, folder, write, call, client } = await start('v2 modern');
    expect(await write('a.txt')).toMatchObject({ refused: undefined });
    await revoke(place, folder('one'));
    for (let times = 0; times < 2; times++) {
      expect(await write('notes.txt')).toMatchObject({ refused: 'root_gone' });
    }
    expect(existsSync(join(folder('two'), 'notes.txt'))).toBe(false);
    const { text } = await call('workspace_info', {});
    const [, workspace] = /Pass as "workspace" to other tools: (\S+)/.exec(text) ?? [];
    expect(await write('notes.txt', { workspace })).toMatchObject({ refused: undefined });
    expect(existsSync(join(folder('two'), 'notes.txt'))).toBe(true);
    await client.close();
  });

  test('starts at the first root of its own answer', async () => {
    const { folder, setRoots, write, client } = await start('v2 modern');
    await write('a.txt');
    await setRoots('two', 'one');
    await write('b.txt');
    expect(existsSync(join(folder('two'), 'b.txt'))).toBe(true);
    await client.close();
  });
});
