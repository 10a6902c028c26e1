import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Workspace } from '@rootward/core';
import { WatchedFiles } from '../../src/documents/watched-files.js';
import { FakeClock } from '../../../../testing/fake-clock.js';
import { Folder } from '../fixtures/folder.js';
import { liveWorkspace } from '../fixtures/live-workspace.js';

let home: Folder;
let workspace: Workspace;

beforeEach(async () => {
  home = new Folder({ 'root/a.py': '' });
  workspace = await liveWorkspace(home.at('root'));
});

afterEach(() => {
  workspace.dispose();
  home[Symbol.dispose]();
});

/** A clock by which every look at the disk takes a second. */
class SlowClock extends FakeClock {
  override now(): number {
    this.advance(1_000);
    return super.now();
  }
}

test('WatchedFiles.changes() rests after a look that took long, but not when an answer must be complete', async () => {
  const watched = new WatchedFiles(new SlowClock());
  const registerOptions = { watchers: [{ globPattern: '**/*.py' }] };
  watched.register({ id: '1', method: 'workspace/didChangeWatchedFiles', registerOptions });
  expect(await watched.changes(workspace.scope(), false)).toEqual([]);
  home.write({ 'root/b.py': '' });
  expect(await watched.changes(workspace.scope(), false)).toEqual([]);
  expect(await watched.changes(workspace.scope(), true)).toEqual([
    { uri: expect.stringMatching(/b\.py$/), type: 1 },
  ]);
});
