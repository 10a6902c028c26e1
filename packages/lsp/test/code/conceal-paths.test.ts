import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Workspace } from '@rootward/core';
import { concealPaths } from '../../src/code/conceal-paths.js';
import { LocationFilter } from '../../src/code/location-filter.js';
import { Folder } from '../fixtures/folder.js';
import { liveWorkspace } from '../fixtures/live-workspace.js';
import { pathToFileUri } from '@rootward/core';

let home: Folder;
let workspace: Workspace;

beforeEach(async () => {
  home = new Folder({ 'in/a.ts': '', 'out/b.ts': '' });
  workspace = await liveWorkspace(home.at('in'));
});

afterEach(() => {
  workspace.dispose();
  home[Symbol.dispose]();
});

test('concealPaths() takes out paths that lead out of scope and keeps the others', () => {
  const text = [
    `module "${home.at('out/b')}"`,
    `import('${home.at('in/a.ts')}').A`,
    home.at('out/b.ts'),
    `see [b](${pathToFileUri(home.at('out/b.ts'))}#L3) or /users/:id`,
  ].join('\n');
  expect(concealPaths(workspace.scope(), text)).toBe(
    [
      'module "(outside the roots)"',
      `import('${home.at('in/a.ts')}').A`,
      '(outside the roots)',
      'see [b]((outside the roots)) or /users/:id',
    ].join('\n'),
  );
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
