import { readdirSync, renameSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { Scope, type FileStamp, type ScopeOptions, type TextReading } from '@rootward/core';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { filesMentioning, type Mentions } from '../../src/documents/files-mentioning.js';
import { findWord } from '../../src/documents/find-word.js';
import { wordOf, WordsOfFiles } from '../../src/documents/words-of-files.js';
import { Folder } from '../fixtures/folder.js';
import { liveWorkspace } from '../fixtures/live-workspace.js';

const MINUTE = 60_000;
const stamp: FileStamp = { dev: 1, ino: 2, size: 3, mtimeMs: 4, ctimeMs: 5 };

// Files that were just written have no stamp.
beforeEach(() => void vi.spyOn(Date, 'now').mockReturnValue(Date.now() + MINUTE));
afterEach(() => void vi.restoreAllMocks());

class CountingScope extends Scope {
  readonly read: string[] = [];

  override readText(...args: Parameters<Scope['readText']>): Promise<TextReading> {
    this.read.push(args[0]);
    return super.readText(...args);
  }
}

const wanted = (): boolean => true;

interface Searched extends Mentions {
  /** Names of files that were read. */
  readonly read: readonly string[];
}

/** What searches for a word find, each with the words that those before have kept. */
async function searching(
  home: Folder,
): Promise<(word: string, options?: Omit<ScopeOptions, 'roots'>) => Promise<Searched>> {
  using workspace = await liveWorkspace(home.path);
  const { roots } = workspace.snapshot();
  const known = new WordsOfFiles();
  return async (word, options = {}) => {
    const scope = new CountingScope({ ...options, roots });
    const found = await filesMentioning(scope, { roots, wanted, word, whole: true, known, limit: 10 });
    return { ...found, read: scope.read.map((path) => path.slice(home.path.length + 1)) };
  };
}

test('a file that lacks a word is read once until it changes, whichever word is looked for', async () => {
  using home = new Folder({ 'a.ts': 'one(two);', 'b.ts': 'three();', 'c.ts': 'oneself;' });
  const search = await searching(home);
  expect((await search('one')).read).toEqual(['a.ts', 'b.ts', 'c.ts']);
  expect(await search('three')).toMatchObject({ files: [home.at('b.ts')], read: ['b.ts'] });
  expect(await search('self')).toMatchObject({ files: [], read: [] });
});

test('a change of the same size is seen, also where the time of the file was set back', async () => {
  using home = new Folder({ 'a.ts': 'one();', 'b.ts': 'two();' });
  const search = await searching(home);
  expect((await search('one')).files).toEqual([home.at('a.ts')]);
  const { atime, mtime } = statSync(home.at('b.ts'));
  writeFileSync(home.at('b.ts'), 'one();');
  utimesSync(home.at('b.ts'), atime, mtime);
  expect((await search('one')).files).toEqual([home.at('a.ts'), home.at('b.ts')]);
});

test('a file that takes the place of another is read', async () => {
  using home = new Folder({ 'in/a.ts': 'one();', 'out/a.ts': 'two();' });
  const search = await searching(home);
  expect((await search('two')).files).toEqual([home.at('out/a.ts')]);
  renameSync(home.at('in'), home.at('new'));
  renameSync(home.at('out'), home.at('in'));
  expect((await search('two')).files).toEqual([home.at('in/a.ts')]);
  expect((await search('one')).files).toEqual([home.at('new/a.ts')]);
});

test('a file that was just written is read each time', async () => {
  vi.mocked(Date.now).mockRestore();
  using home = new Folder({ 'a.ts': 'one();' });
  const search = await searching(home);
  await search('two');
  expect((await search('two')).read).toEqual(['a.ts']);
});

test('a file that a rule denies now is not read or named, whatever was kept of it', async () => {
  using home = new Folder({ 'a.ts': 'one();', 'b.ts': 'one();' });
  const search = await searching(home);
  await search('one');
  const rules = { deny: ['b.ts'] };
  expect(await search('one', { rules })).toMatchObject({ files: [home.at('a.ts')], read: ['a.ts'] });
});

test('a file that is no text is looked at each time', async () => {
  using home = new Folder();
  writeFileSync(home.at('a.ts'), Buffer.from('\ufeffone();', 'utf16le'));
  const search = await searching(home);
  const unshown = [{ path: home.at('a.ts'), reason: 'not UTF-8 text' }];
  expect(await search('one')).toMatchObject({ files: [], unshown });
  expect(await search('one')).toMatchObject({ files: [], unshown });
});

test('a name of signs alone is looked for in every file', async () => {
  using home = new Folder({ 'a.ts': 'a + b', 'b.ts': 'a' });
  const search = await searching(home);
  await search('a');
  expect(await search('+')).toMatchObject({ files: [home.at('a.ts')], read: readdirSync(home.path) });
});

test('words of a file that was replaced between the look at it and the reading are not kept', () => {
  const words = new WordsOfFiles();
  const file = { path: '/a.ts', stamp };
  words.keep(file, 'one', { ...stamp, ino: 9 });
  expect(words.lacks(file, [wordOf('two')])).toBe(false);
  words.keep(file, 'one', stamp);
  expect(words.lacks(file, [wordOf('two')])).toBe(true);
  for (const key of ['dev', 'ino', 'size', 'mtimeMs', 'ctimeMs'] as const) {
    const other = { path: '/a.ts', stamp: { ...stamp, [key]: 9 } };
    expect(words.lacks(other, [wordOf('two')])).toBe(false);
  }
});

test('no file lacks a word that stands in it', () => {
  const characters = fc.constantFrom(
    'a',
    'b',
    'Z',
    '_',
    '$',
    '9',
    'é',
    'ß',
    '名',
    '𝒳',
    '-',
    '#',
    ' ',
    '\n',
    '.',
  );
  const texts = fc.string({ unit: characters, maxLength: 300 });
  fc.assert(
    fc.property(texts, fc.nat(), fc.integer({ min: 1, max: 8 }), (text, from, length) => {
      const start = from % (text.length + 1);
      const word = text.slice(start, start + length);
      if (findWord(text, word).length === 0) return;
      const words = new WordsOfFiles();
      words.keep({ path: '/a.ts', stamp }, text, stamp);
      expect(words.lacks({ path: '/a.ts', stamp }, [wordOf(word)])).toBe(false);
    }),
  );
});
