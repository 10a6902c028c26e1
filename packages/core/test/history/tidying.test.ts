import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { History } from '@rootward/core/history';
import { neighbourhood, thisProcess } from '../../src/platform/process-identity.js';
import { change, setUp } from './fixtures/disk.js';

function start() {
  const place = setUp();
  mkdirSync(place.work);
  return place;
}

/** Where the descriptors of this process lead that are below a folder. */
function openBelow(folder: string): readonly string[] {
  return readdirSync('/proc/self/fd').flatMap((name) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${name}`);
      return path.startsWith(folder) ? [path] : [];
    } catch {
      return [];
    }
  });
}

test.runIf(process.platform === 'linux')(
  'tidying up does not open the store again after dispose()',
  async () => {
    const place = start();
    await change(place, (scope) => scope.write('a', 'b'));
    expect(openBelow(place.directory)).not.toEqual([]);
    place.history.dispose();
    await place.history.settled();
    expect(openBelow(place.directory)).toEqual([]);
  },
);

test.each(['prune()', 'tidying up'])('%s gives its lock back after a dispose() halfway', async (kind) => {
  const place = start();
  for (const name of ['one', 'two', 'three']) {
    writeFileSync(join(place.work, name), `${name}\n`.repeat(200_000));
    await change(place, (scope) => scope.write(name, 'short'));
  }
  await place.history.settled();
  // Old enough to be compressed, which takes several turns of the event loop, and for the hourly look to be due.
  const contents = join(place.directory, 'contents');
  const files = [
    ...readdirSync(contents).map((name) => join(contents, name)),
    join(place.directory, 'tidied'),
  ];
  for (const file of files) utimesSync(file, new Date(1000), new Date(1000));

  const history = new History({ directory: place.directory });
  if (kind === 'tidying up') await change({ ...place, history }, (scope) => scope.write('one', 'shorter'));
  const ended = kind === 'prune()' ? history.prune() : history.settled();
  const lock = join(place.directory, 'tidying');
  while (!existsSync(lock)) await setImmediate();
  history.dispose();
  await ended;
  expect(existsSync(lock)).toBe(false);
});

test.skipIf(process.platform !== 'linux')('prune() takes over from a process that was killed', async () => {
  const place = start();
  await change(place, (scope) => scope.write('a', 'b'));
  await place.history.settled();
  const lock = join(place.directory, 'tidying');
  const hold = (owner: string): void => writeFileSync(lock, owner);
  const { pid, start: began } = thisProcess();
  const here = { pid, start: began, neighbourhood: neighbourhood() };
  const { pid: gone } = spawnSync(process.execPath, ['--version']);

  // One that runs, one that has not said who it is, and one of another container.
  for (const owner of [here, {}, { ...here, pid: gone, neighbourhood: 'elsewhere' }]) {
    hold(JSON.stringify(owner));
    expect(await place.history.prune()).toBeUndefined();
  }
  hold('');
  expect(await place.history.prune()).toBeUndefined();
  hold(JSON.stringify({ ...here, pid: gone }));
  expect(await place.history.prune()).toBeDefined();
  // A later process with the same number.
  hold(JSON.stringify({ ...here, start: '1' }));
  expect(await place.history.prune()).toBeDefined();
  expect(existsSync(lock)).toBe(false);
});
