import { afterEach, expect, test } from 'vitest';
import { readPathRoots, Scope } from '@rootward/core';
import { includesFile } from '../../src/documents/included-files.js';
import { Folder } from '../fixtures/folder.js';

let folder: Folder;

afterEach(() => folder[Symbol.dispose]());

/** Which of some files `src/use.c` includes. */
async function included(
  files: Readonly<Record<string, string>>,
  wanted: readonly string[],
): Promise<readonly string[]> {
  folder = new Folder(files);
  const { roots } = await readPathRoots([{ path: folder.path }], { source: 'flag', home: '/nonexistent' });
  const scope = new Scope({ roots });
  const from = { path: folder.at('src/use.c'), text: files['src/use.c'] ?? '' };
  const found: string[] = [];
  for (const name of wanted)
    if (await includesFile(scope, from, folder.at(name), undefined)) found.push(name);
  return found;
}

test('includesFile() finds a file through others, also where they include each other', async () => {
  const files = {
    'src/use.c': '#include <stdio.h>\n  # include "a.h"\n',
    'src/a.h': '#include "sub/b.h"\n',
    'src/sub/b.h': '#include "../a.h"\n#import "c.h"\n',
    'src/sub/c.h': '',
    'src/c.h': '',
  };
  expect(await included(files, ['src/sub/c.h', 'src/c.h'])).toEqual(['src/sub/c.h']);
});

test('includesFile() looks where projects keep headers, and goes by the name of one it does not find', async () => {
  const files = {
    'src/use.c': '#include <shop/a.h>\n#include <lib/far.h>\n',
    'include/shop/a.h': '#include "shop/b.h"\n',
    'include/shop/b.h': '',
    'deep/lib/far.h': '',
    'deep/lib/other.h': '',
  };
  const wanted = ['include/shop/b.h', 'deep/lib/far.h', 'deep/lib/other.h'];
  expect(await included(files, wanted)).toEqual(['include/shop/b.h', 'deep/lib/far.h']);
});
