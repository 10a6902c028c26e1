import {
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Scope } from '@rootward/core';
import { Survey, undoChanges } from '@rootward/core/history';
import { hasOtherDisk, OTHER_DISK } from '../scope/fixture.js';
import { change, changesOf, photograph, rootAt, setUp } from './fixtures/disk.js';

const about = { tool: 'undo' };

function start(options: Parameters<typeof setUp>[0] = {}): ReturnType<typeof setUp> {
  const place = setUp(options);
  mkdirSync(place.work);
  writeFileSync(join(place.work, 'a.txt'), 'as it was');
  return place;
}

test('an undo does not restore times', async () => {
  const place = start();
  const file = join(place.work, 'a.txt');
  utimesSync(file, new Date(1000), new Date(1000));
  await change(place, (scope) => scope.write('a.txt', 'new'));
  await undoChanges(place.history, place.scope, await changesOf(place), { about });
  expect(readFileSync(file, 'utf8')).toBe('as it was');
  expect(statSync(file).mtimeMs).not.toBe(1000);
});

test('what is written through a handle is not kept', async () => {
  const place = start();
  await change(place, async (scope) => {
    await using handle = await scope.open('a.txt', { access: 'read-write' });
    await handle.write('new');
  });
  expect(readFileSync(join(place.work, 'a.txt'), 'utf8')).toBe('newit was');
  expect(await changesOf(place)).toEqual([]);
});

test('Survey does not look at a broad root, nor at what git ignores', async () => {
  const place = start();
  const scopes = [
    new Scope({ roots: [rootAt(place.work, { broad: true })] }),
    new Scope({ roots: [rootAt(place.work)] }),
  ];
  writeFileSync(join(place.work, '.gitignore'), '*.txt\n');
  for (const scope of scopes) {
    const survey = await Survey.begin(place.history, scope);
    writeFileSync(join(place.work, 'a.txt'), `changed with ${scopes.indexOf(scope)}`);
    const recorder = place.history.change({ tool: 'program' }, scope.roots);
    await survey.end(recorder);
    recorder.finish();
    expect(recorder.id).toBeUndefined();
  }
});

test('Survey takes what someone else changes meanwhile for a change of the program', async () => {
  const place = start();
  const survey = await Survey.begin(place.history, place.scope);
  await change(place, (scope) => scope.write('a.txt', 'by someone else'));
  const recorder = place.history.change({ tool: 'program' }, place.roots);
  await survey.end(recorder);
  recorder.finish();
  expect((await changesOf(place)).map(({ tool }) => tool)).toEqual(['program', 'test']);
});

test.runIf(process.getuid?.() === 0)('a folder of another user is not used', async () => {
  const place = start({ mode: 'required' });
  mkdirSync(place.directory, { recursive: true });
  chownSync(place.directory, 12_345, 12_345);
  await expect(change(place, (scope) => scope.write('a.txt', 'new'))).rejects.toMatchObject({
    code: 'not-kept',
    cause: { code: 'history-unavailable' },
  });
  await expect(changesOf(place)).rejects.toMatchObject({ code: 'history-unavailable' });
  expect(readFileSync(join(place.work, 'a.txt'), 'utf8')).toBe('as it was');
});

test.runIf(hasOtherDisk)('a folder on another disk than the history is copied, and comes back', async () => {
  const state = mkdtempSync(join(OTHER_DISK, 'rootward-history-'));
  onTestFinished(() => rmSync(state, { recursive: true, force: true }));
  const place = start({ directory: join(state, 'rootward', 'history') });
  mkdirSync(join(place.work, 'folder/deep'), { recursive: true });
  writeFileSync(join(place.work, 'folder/deep/bytes'), Buffer.from([0, 255, 1]));
  symlinkSync('deep/bytes', join(place.work, 'folder/link'));
  const before = photograph(place.work);
  await change(place, (scope) => scope.remove('folder', { recursive: true }));
  expect(Object.keys(photograph(place.work))).toEqual(['a.txt']);
  await undoChanges(place.history, place.scope, await changesOf(place), { about });
  expect(photograph(place.work)).toEqual(before);
});

// As after a process that was killed while it removed the folder, which it had copied.
test('a folder of which a part is still there comes back by force only', async () => {
  const place = start();
  mkdirSync(join(place.work, 'folder'));
  for (const name of ['one', 'two']) writeFileSync(join(place.work, 'folder', name), name);
  const before = photograph(place.work);
  await change(place, (scope) => scope.remove('folder', { recursive: true }));
  mkdirSync(join(place.work, 'folder'));
  writeFileSync(join(place.work, 'folder/two'), 'two');
  const changes = await changesOf(place);
  await expect(undoChanges(place.history, place.scope, changes, { about })).rejects.toMatchObject({
    code: 'changed-since',
  });
  await undoChanges(place.history, place.scope, changes, { about, force: true });
  expect(photograph(place.work)).toEqual(before);
});
