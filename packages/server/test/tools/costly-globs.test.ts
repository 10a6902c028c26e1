import { expect, test } from 'vitest';
import { checkRules } from '../../src/settings/workspace-rules.js';
import { makeTree } from '../fixtures/temp-tree.js';
import { connectTools, reportOf } from '../fixtures/tools-client.js';

const COSTLY = ['*a*a*a*a*a*b', `${'{a,a}'.repeat(30)}b`, '+(a|aa)b', '**/a/**/a/**/a/**/a/**/b'];

test('tools and rules refuse globs that would hold up everything else', async () => {
  const tree = makeTree({ [`in/${'a'.repeat(200)}`]: 'needle' });
  const { call, close } = await connectTools({ roots: [tree.uri('in')] });
  for (const glob of COSTLY) {
    const calls = [
      call('search_files', { path: '.', pattern: glob }),
      call('search_files', { path: '.', pattern: '*', excludePatterns: [glob] }),
      call('search_content', { pattern: 'needle', glob }),
      call('directory_tree', { path: '.', excludePatterns: [glob] }),
    ];
    for (const result of await Promise.all(calls)) {
      expect(reportOf(result)).toMatchObject({ error_type: 'invalid_option' });
    }
    expect(checkRules({ deny: [glob] })).toMatchObject({ problem: expect.any(String) as unknown });
    expect(checkRules({ categories: { docs: { patterns: [glob] } } })).toMatchObject({
      problem: expect.any(String) as unknown,
    });
  }
  await close();
});

test.each(['search_files', 'directory_tree'])('%s refuses more globs than anyone writes', async (name) => {
  const tree = makeTree({ 'in/a': '' });
  const { call, close } = await connectTools({ roots: [tree.uri('in')] });
  const args = { path: '.', ...(name === 'search_files' && { pattern: '*' }) };
  const globs = Array.from({ length: 1001 }, (_, index) => `x${index}`);
  expect(reportOf(await call(name, { ...args, excludePatterns: globs }))).toMatchObject({
    error_type: 'invalid_option',
    message: 'Cannot exclude 1001 globs at once',
  });
  expect((await call(name, { ...args, excludePatterns: globs.slice(1) })).isError).toBeUndefined();
  await close();
});

test('tools settle globs with stars in several names at once on names made for them', async () => {
  const long = 'a'.repeat(200);
  const tree = makeTree({ [`in/${long}/${long}/c`]: 'needle', [`in/${'a/'.repeat(300)}c`]: 'needle' });
  const { call, close } = await connectTools({ roots: [tree.uri('in')] });
  for (const glob of ['*a*a*/*a*a*/b', '**/a/**/a/**/a/**/b']) {
    for (const result of [
      await call('search_files', { path: '.', pattern: glob }),
      await call('search_files', { path: '.', pattern: 'b', excludePatterns: [glob] }),
    ]) {
      expect(result.isError).not.toBe(true);
    }
  }
  await close();
});
