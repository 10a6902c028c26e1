import { writeFileSync } from 'node:fs';
import { Scope } from '@rootward/core';
import { expect, test } from 'vitest';
import { filesMentioning } from '../../src/documents/files-mentioning.js';
import { Folder } from '../fixtures/folder.js';
import { liveWorkspace } from '../fixtures/live-workspace.js';

const LARGE = 'a b\n'.repeat(400_000);

async function unshown(home: Folder, word: string) {
  using workspace = await liveWorkspace(home.path);
  const { roots } = workspace.snapshot();
  const scope = new Scope({ roots });
  return (await filesMentioning(scope, { roots, wanted: () => true, word, limit: 10 })).unshown;
}

test('filesMentioning() looks through all of a large file, also for a name of one letter', async () => {
  using home = new Folder({ 'with.ts': `${LARGE}$`, 'without.ts': LARGE });
  expect(await unshown(home, '$')).toEqual([{ path: home.at('with.ts'), reason: 'too large' }]);
});

test('filesMentioning() finds a name in UTF-16, and not in what is no text', async () => {
  using home = new Folder();
  const text = Buffer.from('\ufeffexport const Price = 1;\n', 'utf16le');
  writeFileSync(home.at('big-endian.ts'), Buffer.from(text).swap16());
  writeFileSync(home.at('film.ts'), '\0price');
  writeFileSync(home.at('little-endian.ts'), text);
  const found = (await unshown(home, 'price')).toSorted((a, b) => (a.path < b.path ? -1 : 1));
  expect(found).toEqual([
    { path: home.at('big-endian.ts'), reason: 'not UTF-8 text' },
    { path: home.at('little-endian.ts'), reason: 'not UTF-8 text' },
  ]);
  expect(await unshown(home, 'cost')).toEqual([]);
});
