import { mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ScriptedClient } from '@rootward/mcp/testing';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { act, grow, grownTree, operationOf, pictureOf, type Operation } from '../../testing/history-model.js';
import { runCommand } from '../exec/fixtures/run-command.js';
import { connectRootward, makeFolders } from '../server/fixtures/rootward.js';

type Result = Readonly<Record<string, unknown>>;

/** The long version is `npm run soak -- history`. */
const SERVERS = Number(process.env['ROOTWARD_SERVERS'] ?? 4);
const SEQUENCES = Number(process.env['ROOTWARD_SERVER_SEQUENCES'] ?? 5);
const EDITS = 20;

const folders = makeFolders('state');
let places = 0;

/** A folder, and a history of its own. */
function place() {
  const top = join(folders.top, String(++places));
  const work = join(top, 'work');
  mkdirSync(work, { recursive: true });
  return {
    work,
    env: { XDG_STATE_HOME: join(top, 'state') },
    locks: join(top, 'state', 'rootward', 'locks'),
  };
}

async function startServers(count: number, { work, env }: ReturnType<typeof place>) {
  const started = Array.from({ length: count }, () => connectRootward([work], {}, { env }));
  return (await Promise.all(started)).map(({ client }) => client);
}

async function call(client: ScriptedClient, name: string, args: object): Promise<Result> {
  return client.request('tools/call', { name, arguments: args });
}

test('servers in one project that edit lines of one file lose no edit', async () => {
  const here = place();
  const path = join(here.work, 'shared.txt');
  writeFileSync(path, Array.from({ length: SERVERS }, (_, index) => `server ${index}: 0\n`).join(''));
  const clients = await startServers(SERVERS, here);
  const results = clients.map(async (client, index) => {
    for (let edit = 0; edit < EDITS; edit++) {
      const [oldText, newText] = [`server ${index}: ${edit}\n`, `server ${index}: ${edit + 1}\n`];
      const result = await call(client, 'edit_file', { path, edits: [{ oldText, newText }] });
      expect(result['isError']).not.toBe(true);
    }
  });
  await Promise.all(results);
  const expected = clients.map((_, index) => `server ${index}: ${EDITS}\n`).join('');
  expect(readFileSync(path, 'utf8')).toBe(expected);
  expect(readdirSync(here.locks)).toEqual([]);
});

test('a link that leads nowhere, or out, is listed and comes back', async () => {
  const here = place();
  symlinkSync('nowhere', join(here.work, 'dangling'));
  symlinkSync('/nowhere/at/all', join(here.work, 'outside'));
  const [client] = await startServers(1, here);
  for (const name of ['dangling', 'outside']) {
    await call(client!, 'move_file', { source: name, destination: `${name} moved` });
  }
  await call(client!, 'delete_file', { path: 'dangling moved' });
  await call(client!, 'undo_changes', { since: '1h' });
  expect(readdirSync(here.work).toSorted()).toEqual(['dangling', 'outside']);
  expect(readlinkSync(join(here.work, 'outside'))).toBe('/nowhere/at/all');
});

/** A tool for an operation; undefined where there is none. */
function toolOf({ method, args }: Operation): readonly [name: string, args: object] | undefined {
  const [path, second] = args;
  switch (method) {
    case 'write':
      return args.length > 2 ? undefined : ['write_file', { path, content: second }];
    case 'rename':
      return ['move_file', { source: path, destination: second }];
    case 'copy':
      return ['copy_file', { source: path, destination: second }];
    case 'mkdir':
      return ['create_directory', { path }];
    case 'remove':
      return ['delete_file', { path, ...(second as object | undefined) }];
    case 'update':
      return undefined;
  }
}

test('what several servers change comes back by ids, by the undos of the undos, and by the command', async () => {
  const sequence = fc.record({ tree: grownTree, acts: fc.array(act, { minLength: 3, maxLength: 15 }) });
  const play = fc.asyncProperty(sequence, async ({ tree, acts }) => {
    const here = place();
    grow(here.work, tree);
    const first = pictureOf(here.work);
    const clients = await startServers(3, here);
    for (const each of acts) {
      const tool = operationOf(here.work, each);
      const [name, args] = (tool && toolOf(tool)) ?? [];
      if (name !== undefined) await call(clients[each.session]!, name, args!);
    }
    const last = pictureOf(here.work);
    const { structuredContent } = await call(clients[0]!, 'change_history', { limit: 100 });
    const { changes } = structuredContent as { changes: readonly { readonly id: string }[] };
    const undos: string[] = [];
    const undo = async (id: string): Promise<void> => {
      const result = await call(clients[1]!, 'undo_changes', { id });
      expect(result).not.toMatchObject({ isError: true });
      const { changeId } = result['structuredContent'] as { readonly changeId?: string };
      if (changeId !== undefined) undos.push(changeId);
    };
    for (const { id } of changes) await undo(id);
    expect(pictureOf(here.work)).toEqual(first);
    for (const id of undos.splice(0).toReversed()) await undo(id);
    expect(pictureOf(here.work)).toEqual(last);
    const { code, err } = await runCommand(['undo', '--since', '1h'], { env: here.env, cwd: here.work });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(pictureOf(here.work)).toEqual(first);
    await Promise.all(clients.map((client) => client.close()));
  });
  await fc.assert(play, { numRuns: SEQUENCES });
});
