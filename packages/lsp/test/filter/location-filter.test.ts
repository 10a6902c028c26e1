import { beforeEach, expect, test } from 'vitest';
import { LocationFilter } from '../../src/filter/location-filter.js';
import type { Folder } from '../fixtures/folder.js';
import { openFolders } from '../fixtures/live-workspace.js';
import { pathToFileUri, type Workspace } from '@rootward/core';

let home: Folder;
let workspace: Workspace;

beforeEach(async () => {
  ({ home, workspace } = await openFolders({ 'in/a.ts': '', 'out/b.ts': '' }, 'in'));
});

test('LocationFilter.admit() lets through what is in scope and counts the rest', () => {
  const filter = new LocationFilter(workspace.scope());
  expect(filter.admit(pathToFileUri(home.at('in/a.ts')))).toBe(home.at('in/a.ts'));
  expect(filter.admit(pathToFileUri(home.at('out/b.ts')))).toBeUndefined();
  expect(filter.admit(`${pathToFileUri(home.at('in'))}/../out/b.ts`)).toBeUndefined();
  expect(filter.admit('untitled:x')).toBeUndefined();
  expect(filter.admit(pathToFileUri(home.at('in/absent.ts')))).toBeUndefined();
  expect(filter.outside).toBe(4);
});
