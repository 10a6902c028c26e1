import { spawnSync } from 'node:child_process';
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
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
  while (lstatSync(lock, { throwIfNoEntry: false }) === undefined) await setImmediate();
  history.dispose();
  await ended;
  expect(lstatSync(lock, { throwIfNoEntry: false })).toBeUndefined();
});

test.runIf(process.platform === 'linux')('prune() takes over from a process that was killed', async () => {
  const place = start();
  await change(place, (scope) => scope.write('a', 'b'));
  await place.history.settled();
  const lock = join(place.directory, 'tidying');
  const { pid, start: began } = thisProcess();
  const { pid: gone } = spawnSync(process.execPath, ['--version']);
  symlinkSync(`${neighbourhood()}-${pid}-${began}-0123456789ab`, lock);
  expect(await place.history.prune()).toBeUndefined();
  unlinkSync(lock);
  symlinkSync(`${neighbourhood()}-${gone}-${began}-0123456789ab`, lock);
  expect(await place.history.prune()).toBeDefined();
  expect(lstatSync(lock, { throwIfNoEntry: false })).toBeUndefined();
});
