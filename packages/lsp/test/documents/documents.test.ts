import { rmSync, utimesSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Workspace } from '@rootward/core';
import { LanguageServers, outline } from '@rootward/lsp';
import { Folder } from '../fixtures/folder.js';
import { liveWorkspace } from '../fixtures/live-workspace.js';
import { recorded, scripted } from '../fixtures/scripted.js';
import { eventually } from '../../../../testing/eventually.js';

/** Longer than a test may take: what waits for this long fails it. */
const NEVER = 600_000;

let home: Folder;
let workspace: Workspace;
let servers: LanguageServers;

/** Each question is one after a change, since a slow machine would rest otherwise. */
let changes = 0;
const changesMade = (): number => (changes += 1);

beforeEach(async () => {
  home = new Folder({ 'root/a.toy': 'one' });
  workspace = await liveWorkspace(home.at('root'));
  const registerOptions = { watchers: [{ globPattern: '**/*.toy' }] };
  const script = {
    record: home.at('record'),
    register: ['workspace/didChangeWatchedFiles'],
    registerOptions,
  };
  servers = new LanguageServers(workspace, {
    servers: [scripted(script, { folders: 'file-driven' })],
    changesMade,
  });
});

afterEach(async () => {
  await servers.dispose();
  workspace.dispose();
  home[Symbol.dispose]();
});

async function ask(file: string): Promise<void> {
  await outline({ servers, scope: workspace.scope() }, { file: home.at('root', file) });
}

function told(kind: string): readonly unknown[] {
  return recorded(home.at('record')).flatMap((entry) => entry[kind] ?? []);
}

/** Moves a file's time on, since two writes may fall into one tick of the disk. */
function write(name: string, text: string, seconds: number): void {
  home.write({ [`root/${name}`]: text });
  utimesSync(home.at('root', name), seconds, seconds);
}

test('a document is opened once, sent again only when its text changed, and closed when it is gone', async () => {
  await ask('a.toy');
  await ask('a.toy');
  write('a.toy', 'one', 1_000);
  await ask('a.toy');
  expect(told('didChange')).toEqual([]);
  write('a.toy', 'two', 2_000);
  await ask('a.toy');
  expect(told('didChange')).toMatchObject([{ version: 2, text: 'two' }]);
  expect(told('didOpen')).toHaveLength(1);
  write('b.toy', 'b', 1_000);
  await ask('b.toy');
  rmSync(home.at('root/b.toy'));
  await ask('a.toy');
  expect(told('didClose')).toEqual([expect.stringMatching(/b\.toy$/)]);
});

test('files a server watches are compared with the disk before each question', async () => {
  await ask('a.toy');
  while (told('registered').length === 0) await ask('a.toy');
  await ask('a.toy');
  write('b.toy', 'b', 1_000);
  write('b.txt', 'b', 1_000);
  write('a.toy', 'changed', 3_000);
  await ask('a.toy');
  expect(told('watched')).toEqual(
    expect.arrayContaining([
      { uri: expect.stringMatching(/a\.toy$/), type: 2 },
      { uri: expect.stringMatching(/b\.toy$/), type: 1 },
    ]),
  );
  expect(told('watched')).toHaveLength(2);
});

test('at most sixteen documents stay open between questions', async () => {
  for (let index = 0; index < 20; index += 1) write(`f${index}.toy`, 'x', 1_000);
  for (let index = 0; index < 20; index += 1) await ask(`f${index}.toy`);
  await ask('a.toy');
  expect(told('didOpen')).toHaveLength(21);
  await eventually(() => expect(told('didClose')).toHaveLength(21 - 16));
});

/** A server that says when it has looked through its files: at its start and after each change, or at its start only. */
async function serveSigns(
  sign: string,
  ready: RegExp,
  record = home.at('signs'),
): Promise<() => readonly string[]> {
  await servers.dispose();
  const registerOptions = { watchers: [{ globPattern: '**/*.toy' }] };
  const script = { record, register: ['workspace/didChangeWatchedFiles'], registerOptions, sign };
  const definition = { ...scripted(script, { folders: 'shared' }), ready };
  servers = new LanguageServers(workspace, {
    servers: [definition],
    changesMade,
    limits: { settleTimeout: NEVER },
  });
  await ask('a.toy');
  const steps = (): readonly string[] =>
    recorded(record).flatMap((entry) => Object.keys(entry).filter((key) => /^(sign|watched)$/.test(key)));
  await eventually(() => expect(steps()).toEqual(['sign']));
  return steps;
}

test('a server that gives a sign is told of the next new file only after the sign for the one before', async () => {
  const steps = await serveSigns('looked through', /looked through/);
  for (const name of ['b.toy', 'c.toy']) {
    home.write({ [`root/${name}`]: 'new' });
    // Both at once: what changed is told once.
    await Promise.all([ask('a.toy'), ask('a.toy')]);
  }
  expect(steps().slice(0, 4)).toEqual(['sign', 'watched', 'sign', 'watched']);
  expect(steps().filter((step) => step === 'watched')).toHaveLength(2);
});

test('a call that waits for the sign, or for another call that does, ends at once when cancelled', async () => {
  await serveSigns('something else', /never said/);
  home.write({ 'root/b.toy': 'new' });
  const [first, second] = [new AbortController(), new AbortController()];
  const start = ({ signal }: AbortController): Promise<unknown> =>
    outline({ servers, scope: workspace.scope(), signal }, { file: home.at('root/a.toy') });
  const outcomes: string[] = [];
  const note = (name: string, asked: Promise<unknown>): Promise<unknown> =>
    asked.catch((error: Error) => outcomes.push(`${name} ${error.message}`));
  const waiting: Promise<unknown>[] = [];
  for (const [name, controller] of Object.entries({ first, second })) {
    waiting.push(note(name, start(controller)));
    // Nothing shows that a call waits; by now it does.
    for (let turn = 0; turn < 200; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }
  second.abort(new Error('enough'));
  await waiting[1];
  expect(outcomes).toEqual(['second enough']);
  first.abort(new Error('enough'));
  await waiting[0];
  expect(outcomes).toEqual(['second enough', 'first enough']);
});
