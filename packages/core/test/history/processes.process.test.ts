import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { History, undoChanges } from '@rootward/core/history';
import { Scope } from '@rootward/core';
import { changesOf, photograph, rootAt, setUp } from './fixtures/disk.js';

const CHANGER = fileURLToPath(new URL('changer.mjs', import.meta.url));
/** The long version is `npm run soak -- history`. */
const KILLS = Number(process.env['ROOTWARD_HISTORY_KILLS'] ?? 6);
const FOREVER = 1_000_000;

/** What a killed process left half-written is removed by the next write to the same folder. */
function pictureOf(work: string): Record<string, string> {
  const entries = Object.entries(photograph(work));
  return Object.fromEntries(entries.filter(([path]) => !path.includes('.rootward-')));
}

/** One that ends before it begins must not be waited for. */
async function ready(changer: ChildProcess): Promise<void> {
  const failed = once(changer, 'exit').then(() => Promise.reject(new Error('the changer did not start')));
  failed.catch(() => undefined);
  await Promise.race([once(changer, 'message'), failed]);
}

test('a process killed with SIGKILL leaves a journal with which all it did can be taken back', async () => {
  for (let kill = 1; kill <= KILLS; kill++) {
    const place = setUp();
    mkdirSync(place.work);
    const { directory, roots, history, scope } = place;
    const [root] = roots;
    await scope.write('a0', 'at first');
    const before = pictureOf(place.work);
    const changer = fork(CHANGER, [JSON.stringify({ root, directory, seed: kill, rounds: FOREVER })]);
    await ready(changer);
    // Not a wait for anything to happen: the moment of the kill is what is varied.
    await wait(Math.random() * 120);
    const gone = once(changer, 'exit');
    changer.kill('SIGKILL');
    await gone;
    const changes = await changesOf(place);
    // At most the last one was under way.
    expect(changes.slice(1).every(({ complete }) => complete)).toBe(true);
    await undoChanges(history, scope, changes, { about: { tool: 'undo' } });
    expect(pictureOf(place.work)).toEqual(before);
  }
});

test('two processes lose no entry, and each can take back what the other did', async () => {
  const place = setUp();
  const { directory } = place;
  const folders = ['one', 'two'].map((name) => join(place.work, name));
  for (const folder of folders) mkdirSync(folder, { recursive: true });
  const changers = folders.map((folder, index) =>
    fork(CHANGER, [JSON.stringify({ root: rootAt(folder), directory, seed: index + 1, rounds: 60 })]),
  );
  const told = await Promise.all(
    changers.map(async (changer) => {
      await once(changer, 'message');
      const [ids] = await once(changer, 'message');
      await once(changer, 'exit');
      return ids as string[];
    }),
  );
  // Seen from the folder above, both journals count.
  const changes = await changesOf(place);
  expect(changes.map(({ id }) => id).toSorted()).toEqual(told.flat().toSorted());
  expect(changes.every(({ complete }) => complete)).toBe(true);
  using other = new History({ directory });
  await undoChanges(other, new Scope({ roots: place.roots }), changes, { about: { tool: 'undo' } });
  for (const folder of folders) expect(readdirSync(folder)).toEqual([]);
});

test('processes that write to one journal at once lose no line, also while it is tidied up', async () => {
  const place = setUp({ limits: { maxAgeMs: 0 } });
  const { directory, roots } = place;
  mkdirSync(place.work);
  const changers = [1, 2].map((seed) =>
    fork(CHANGER, [JSON.stringify({ root: roots[0], directory, seed, rounds: 40 })]),
  );
  const told = changers.map(async (changer) => {
    await once(changer, 'message');
    const [ids] = await once(changer, 'message');
    await once(changer, 'exit');
    return ids as string[];
  });
  const state = { busy: true };
  const all = Promise.all(told).finally(() => (state.busy = false));
  // Everything is too old at once, but what is young stays: so each time the whole journal is carried over.
  while (state.busy) await place.history.prune();
  const ids = (await all).flat();
  expect((await changesOf(place)).map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
  const [project = ''] = readdirSync(join(directory, 'projects'));
  const lines = readFileSync(join(directory, 'projects', project, 'journal'), 'utf8').split('\n');
  expect(lines.filter((line) => line !== '').every((line) => /^[0-9a-f]{8} \{.*\}$/.test(line))).toBe(true);
});
