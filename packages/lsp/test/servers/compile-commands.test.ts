import { afterEach, expect, test } from 'vitest';
import { readPathRoots, Scope } from '@rootward/core';
import { CompileCommands, split } from '../../src/servers/compile-commands.js';
import { Folder } from '../fixtures/folder.js';

let folder: Folder;

afterEach(() => folder?.[Symbol.dispose]());

async function forHeader(
  files: Readonly<Record<string, string>>,
  database: readonly object[],
  header: string,
  name = 'compile_commands.json',
): Promise<unknown> {
  folder = new Folder(files);
  const entries = database.map((entry) => Object.assign({ directory: folder.path }, entry));
  folder.write({ [name]: JSON.stringify(entries) });
  const { roots } = await readPathRoots([{ path: folder.path }], { source: 'flag', home: '/nonexistent' });
  return new CompileCommands().forHeader(new Scope({ roots }), folder.at(header));
}

test.each([
  ['cc -DA=1 -c a.c', ['cc', '-DA=1', '-c', 'a.c']],
  [String.raw`cc "-DA=\"b c\"" -D'X y' a\ b.c`, ['cc', '-DA="b c"', '-DX y', 'a b.c']],
  ["cc -DEMPTY='' ''", ['cc', '-DEMPTY=', '']],
])('split() takes %j apart', (command, expected) => {
  expect(split(command)).toEqual(expected);
});

test('forHeader() borrows the command of the nearest source that includes a header, without its files', async () => {
  const files = {
    'lib/shop.h': '',
    'lib/a.c': '#include "other.h"\n',
    'lib/b.c': '# include "shop.h"\n',
    'z.c': '#include "lib/shop.h"\n',
  };
  const database = [
    { file: 'z.c', command: 'cc -DZ z.c' },
    { file: 'lib/b.c', arguments: ['cc', '-DB', '-o', 'b.o', '-c', 'lib/b.c'] },
    { file: 'lib/a.c', command: 'cc -DA -c lib/a.c' },
  ];
  for (const name of ['compile_commands.json', 'build/compile_commands.json']) {
    expect(await forHeader(files, database, 'lib/shop.h', name)).toEqual({
      workingDirectory: folder.path,
      compilationCommand: ['cc', '-DB', '-xc-header', folder.at('lib/shop.h')],
    });
    folder[Symbol.dispose]();
  }
});

test('forHeader() goes by the name of a header, and keeps the language of a source', async () => {
  const files = { 'a.cc': '', 'shop.h': '', 'shop.cpp': '' };
  const database = [
    { file: 'a.cc', command: 'c++ a.cc' },
    { file: 'shop.cpp', command: 'c++ -x c -std=c11 shop.cpp' },
  ];
  expect(await forHeader(files, database, 'shop.h')).toMatchObject({
    compilationCommand: ['c++', '-std=c11', '-xc-header', folder.at('shop.h')],
  });
});

test('forHeader() leaves a header that has a command alone, and says nothing where there is no database', async () => {
  const own = [{ file: 'shop.h', command: 'cc shop.h' }];
  expect(await forHeader({ 'shop.h': '' }, own, 'shop.h')).toBe('its own');
  folder[Symbol.dispose]();
  expect(await forHeader({ 'shop.h': '' }, [], 'shop.h', 'other.json')).toBeUndefined();
  folder.write({ 'compile_commands.json': '{ not JSON' });
  const { roots } = await readPathRoots([{ path: folder.path }], { source: 'flag', home: '/nonexistent' });
  const scope = new Scope({ roots });
  expect(await new CompileCommands().forHeader(scope, folder.at('shop.h'))).toBeUndefined();
});
