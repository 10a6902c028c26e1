import { chmodSync } from 'node:fs';
import { dirname } from 'node:path';
import { Scope, type Root } from '@rootward/core';
import { ChildRegistry } from '@rootward/mcp';
import { expect, test, vi } from 'vitest';
import { findRipgrep } from '../../src/search/find-ripgrep.js';
import { ContentSearch, type ContentSearchOptions } from '../../src/search/content-search.js';
import { LinePattern } from '../../src/search/line-pattern.js';
import { PatternTurns } from '../../src/search/pattern-turns.js';
import type { SearchContext } from '../../src/search/ripgrep.js';
import { searchCandidates } from '../../src/search/search-candidates.js';
import { makeTree } from '../fixtures/temp-tree.js';

/** Enough files for ripgrep to be worth starting. */
const FILES = 700;
const tree = makeTree();
tree.add(
  Object.fromEntries(
    Array.from({ length: FILES }, (_, index) => [
      `in/d${index % 7}/f${index}.txt`,
      index % 3 === 0 ? `one\r\nneedle ${index}\r\n` : `nothing\nNEEDLE ${index}`,
    ]),
  ),
);
tree.add({
  'in/bom.txt': '\uFEFFneedle at the start',
  'in/utf16.txt': Buffer.from('\uFEFFneedle', 'utf16le'),
  'in/latin1.txt': new Uint8Array([0xe9, 0x0a, ...Buffer.from('needle\n')]),
  'in/nul.txt': 'needle\0needle\n',
  'in/large.log': `${'filler line\n'.repeat(200_000)}needle in a large file\n`,
  'in/long-line.txt': `${'x'.repeat(2_000_000)}needle`,
  'in/-dash needle.txt': 'needle in a file with an odd name',
  'in/naïve.txt': 'needle ß ſ K',
  'in/turns-binary.log': Buffer.concat([
    Buffer.from(`needle at first\n${'filler line\n'.repeat(200_000)}`),
    Buffer.from([0xff, 0x0a]),
    Buffer.from('Last Words\n'),
  ]),
  'in/large.bin': new Uint8Array(3_000_000).fill(0xff),
  'in/longest-line.txt': `first\n${'x'.repeat(9_500_000)}y\nlast\n`,
  // The pair is new in Unicode 17: what knows less does not take it for one.
  'in/new-letters.txt': 'needle \u{16EBB}\u{16EBC}',
  'in/smile.txt': 'needle😀',
  'in/empty.txt': '',
});
const root: Root = {
  uri: tree.uri('in'),
  path: tree.path('in'),
  name: 'in',
  kind: 'directory',
  access: 'read-write',
  source: 'flag',
  declared: tree.path('in'),
  broad: false,
};
const scope = new Scope({ roots: [root] });
const ripgrep = await findRipgrep([]);
const { signal } = new AbortController();

interface Outcome {
  readonly found: readonly string[];
  readonly unreadable: number;
  readonly unfinished: number;
}

/** The plain files first: enough of them for the odd ones to go past ripgrep. */
async function* candidates(): AsyncGenerator<string, void> {
  const odd: string[] = [];
  for await (const file of searchCandidates(scope, undefined, {
    matches: () => true,
    gitignore: false,
    signal,
  })) {
    if (dirname(file) === root.path) odd.push(file);
    else yield file;
  }
  yield* odd;
}

function contextWith(abort: AbortSignal): SearchContext {
  return { children: new ChildRegistry(), signal: abort, principal: '', patternTurns: new PatternTurns() };
}

async function search(
  pattern: string,
  options: Partial<ContentSearchOptions> & { readonly ignoreCase?: boolean } = {},
): Promise<Outcome> {
  const run = new ContentSearch({
    scope,
    pattern: new LinePattern(pattern, options.ignoreCase === true),
    limit: Number.POSITIVE_INFINITY,
    context: contextWith(signal),
    ...options,
  });
  await run.run(candidates());
  const found = run.found.map(({ path, line, column, text }) => `${path}:${line}:${column}:${text}`);
  return { found, unreadable: run.unreadable, unfinished: run.unfinished };
}

const none = () => Promise.resolve(undefined);

test.each([
  ['needle', false],
  ['needle', true],
  ['^needle', false],
  ['needle$', false],
  ['needle \\d+', false],
  ['(needle|NEEDLE) 1', false],
  ['ß ſ', true],
  ['K$', true],
  ['not there', false],
  ['n.*e', false],
  ['needle\0', false],
  ['Last Words', false],
  ['last words', true],
  ['LAST WORDS$', true],
  ['xxy', false],
  ['XXY', true],
  ['\u{16EA0}\u{16EA1}', true],
  ['(x+)+XYZ', true],
  // Half of a pair, which only a pattern that is not valid with the `u` flag finds.
  ['needle\ud83d\\-?', false],
])('with and without ripgrep, %j (ignoring case: %s) finds the same', async (pattern, ignoreCase) => {
  expect(ripgrep).toBeDefined();
  let asked = 0;
  const counting = (): Promise<string | undefined> => {
    asked++;
    return Promise.resolve(ripgrep);
  };
  const pure = await search(pattern, { ignoreCase, ripgrep: none });
  expect(await search(pattern, { ignoreCase, ripgrep: counting })).toEqual(pure);
  expect(asked > 0).toBe(new LinePattern(pattern, false).literal !== undefined);
});

test('what is text is searched, whatever its size, name or mark; what is not, is not', async () => {
  const { found } = await search('needle', { ripgrep: none });
  const where = (name: string): string[] =>
    found
      .filter((hit) => hit.startsWith(`${tree.path('in', name)}:`))
      .map((hit) => hit.slice(tree.path('in', name).length));
  expect(where('bom.txt')).toEqual([':1:1:needle at the start']);
  expect(where('large.log')).toEqual([':200001:1:needle in a large file']);
  expect(where('long-line.txt')).toEqual([expect.stringMatching(/^:1:2000001:…x+needle$/)]);
  expect(where('-dash needle.txt')).toHaveLength(1);
  expect(where('nul.txt')).toHaveLength(1);
  expect([...where('utf16.txt'), ...where('latin1.txt')]).toEqual([]);
});

test.each([
  ['is not text any more', 'words', true, 1],
  ['is not text any more, and has what every match has nowhere', 'Other words', false, 0],
  ['has a line that is too long', '^last', false, 1],
])('a file that %s is counted where that matters', async (_, pattern, ignoreCase, unfinished) => {
  expect(await search(pattern, { ignoreCase, ripgrep: none })).toMatchObject({ unfinished });
});

const script = (name: string, text: string): (() => Promise<string>) => {
  tree.add({ [name]: `#!/bin/sh\n${text}\n` });
  chmodSync(tree.path(name), 0o755);
  return () => Promise.resolve(tree.path(name));
};

test.each([
  ['does not exist', () => Promise.resolve(tree.path('missing'))],
  ['fails', script('fails', 'exit 2')],
  ['is killed', script('dies', 'kill -9 $$')],
])('a ripgrep that %s makes no difference', async (_, broken) => {
  const pure = await search('needle \\d', { ripgrep: none });
  expect(await search('needle \\d', { ripgrep: broken })).toEqual(pure);
});

test('what a ripgrep says is never shown, and cannot widen the search', async () => {
  const lies = script('lies', `printf '/etc/passwd\\0${tree.path('in/d0/f0.txt')}\\0root:needle 1'`);
  const pure = await search('needle \\d', { ripgrep: none });
  const { found } = await search('needle \\d', { ripgrep: lies });
  expect(found.length).toBeLessThan(pure.found.length);
  expect(pure.found).toEqual(expect.arrayContaining([...found]));
});

test('a search ends soon after it has found enough', async () => {
  const { found } = await search('needle', { limit: 5, ripgrep: none });
  expect(found.length).toBeGreaterThanOrEqual(5);
  expect(found.length).toBeLessThan(FILES / 3);
});

test('nothing is kept of matches that are skipped, however many', async () => {
  const all = await search('needle', { ripgrep: none });
  const { length } = all.found;
  const { found } = await search('needle', { skip: length - 3, limit: 2, ripgrep: none });
  expect(found.slice(0, 2)).toEqual(all.found.slice(-3, -1));
  expect((await search('needle', { skip: 1e15, ripgrep: none })).found).toEqual([]);
});

test('ripgrep is a child that the process knows of, and gone afterwards', async () => {
  const children = new ChildRegistry();
  const add = vi.spyOn(children, 'add');
  await search('needle', {
    ripgrep: () => Promise.resolve(ripgrep),
    context: { ...contextWith(signal), children },
  });
  expect(add).toHaveBeenCalled();
  expect(children.size).toBe(0);
});

test('an aborted search ends with the reason', async () => {
  const controller = new AbortController();
  const asked = (): Promise<string | undefined> => {
    controller.abort(new Error('enough'));
    return Promise.resolve(ripgrep);
  };
  const context = contextWith(controller.signal);
  await expect(search('needle', { ripgrep: asked, context })).rejects.toThrow('enough');
});

test('a search can be cancelled while it goes through files that take a pattern long', async () => {
  const slow = makeTree();
  slow.add(Object.fromEntries(['a', 'b', 'c'].map((name) => [name, `${'a'.repeat(60)}!`])));
  const own = new Scope({ roots: [{ ...root, path: slow.top, uri: slow.uri('.') }] });
  const controller = new AbortController();
  // It is its turn when the pattern was not quick: all files are read by then, and none has been looked through.
  class Cancelling extends PatternTurns {
    override take(...args: Parameters<PatternTurns['take']>): ReturnType<PatternTurns['take']> {
      setImmediate(() => controller.abort());
      return super.take(...args);
    }
  }
  const run = new ContentSearch({
    scope: own,
    pattern: new LinePattern('(a+)+$', false),
    limit: 1,
    context: { ...contextWith(controller.signal), patternTurns: new Cancelling() },
    ripgrep: none,
  });
  async function* files(): AsyncGenerator<string, void> {
    yield* ['a', 'b', 'c'].map((name) => slow.path(name));
  }
  await expect(run.run(files())).rejects.toThrow(/abort/i);
});
