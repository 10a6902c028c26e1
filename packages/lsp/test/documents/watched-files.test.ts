import { utimesSync } from 'node:fs';
import { beforeEach, expect, test } from 'vitest';
import { pathToFileUri, type Workspace } from '@rootward/core';
import { WatchedFiles, type WatchedFilesOptions } from '../../src/documents/watched-files.js';
import { FakeClock } from '../../../../testing/fake-clock.js';
import type { Folder } from '../fixtures/folder.js';
import { giveRoots, openFolders } from '../fixtures/live-workspace.js';

let home: Folder;
let workspace: Workspace;

beforeEach(async () => {
  ({ home, workspace } = await openFolders({ 'root/a.py': '' }, 'root'));
  // Older than the server, which is started in the same millisecond otherwise.
  utimesSync(home.at('root/a.py'), 1, 1);
});

/** A clock by which every look at the disk takes a second. */
class SlowClock extends FakeClock {
  override now(): number {
    this.advance(1_000);
    return super.now();
  }
}

function watch(options: WatchedFilesOptions): WatchedFiles {
  const watched = new WatchedFiles(options);
  const registerOptions = { watchers: [{ globPattern: '**/*.py' }] };
  watched.register({ id: '1', method: 'workspace/didChangeWatchedFiles', registerOptions });
  return watched;
}

test('WatchedFiles.changes() rests after a look that took long, but not when an answer must be complete', async () => {
  const watched = watch({ clock: new SlowClock() });
  expect(await watched.changes(workspace.scope(), { thorough: false })).toEqual([]);
  home.write({ 'root/b.py': '' });
  expect(await watched.changes(workspace.scope(), { thorough: false })).toEqual([]);
  expect(await watched.changes(workspace.scope(), { thorough: true })).toEqual([
    { uri: expect.stringMatching(/b\.py$/), type: 1 },
  ]);
});

test('WatchedFiles.changes() does not rest when this process has changed files', async () => {
  let changesMade = 0;
  const watched = watch({ clock: new SlowClock(), changesMade: () => changesMade });
  const changed = async (): Promise<number> =>
    (await watched.changes(workspace.scope(), { thorough: false })).length;
  await changed();
  home.write({ 'root/b.py': '' });
  expect(await changed()).toBe(0);
  changesMade += 1;
  expect(await changed()).toBe(1);
  home.write({ 'root/c.py': '' });
  expect(await changed()).toBe(0);
});

test('WatchedFiles.changes() says once which root has too many files, and compares the others', async () => {
  home.write({ 'large/a.py': '', 'large/b.py': '', 'large/c.py': '' });
  await giveRoots(workspace, home.at('large'), home.at('root'));
  const told: string[] = [];
  const watched = watch({ clock: new FakeClock(), limit: 2, tooMany: (root) => told.push(root) });
  await watched.changes(workspace.scope(), { thorough: true });
  home.write({ 'root/b.py': '', 'large/d.py': '' });
  expect(await watched.changes(workspace.scope(), { thorough: true })).toMatchObject([
    { uri: pathToFileUri(home.at('root/b.py')), type: 1 },
  ]);
  expect(told).toEqual([home.at('large')]);
});

test('WatchedFiles.changes() counts again when the roots changed', async () => {
  home.write({ 'other/a.py': '', 'other/b.py': '' });
  await giveRoots(workspace, home.at('other'), home.at('root'));
  const watched = watch({ clock: new FakeClock(), limit: 2 });
  await watched.changes(workspace.scope(), { thorough: true });
  await giveRoots(workspace, home.at('root'));
  await watched.changes(workspace.scope(), { thorough: true });
  home.write({ 'root/b.py': '' });
  expect(await watched.changes(workspace.scope(), { thorough: true })).toHaveLength(1);
});
