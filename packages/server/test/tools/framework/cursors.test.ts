import { rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { makeTree } from '../../fixtures/temp-tree.js';
import { connectTools, ERAS, reportOf } from '../../fixtures/tools-client.js';

const MANY = 2300;
const tree = makeTree({ 'in/other/a.txt': '' });
const plant = (): void =>
  tree.add(
    Object.fromEntries(Array.from({ length: MANY }, (_, index) => [`in/many/${index}.txt`, 'line\n'])),
  );
const PAGED: Readonly<Record<string, Record<string, unknown>>> = {
  list_directory: { path: 'many' },
  list_directory_with_sizes: { path: 'many' },
  search_files: { path: 'many', pattern: '*.txt' },
  search_content: { path: 'many', pattern: 'line' },
};
const SPELLED_OUT: typeof PAGED = {
  list_directory_with_sizes: { sortBy: 'name' },
  search_files: { respectGitignore: false, excludePatterns: [] },
  search_content: { respectGitignore: true, ignoreCase: false },
};

test.each(ERAS)('a cursor goes on in its own call, and in no other (%s)', async (era) => {
  plant();
  const { call, data, close } = await connectTools({ era, roots: [tree.uri('in')] });
  const refused = { error_type: 'invalid_option', instruction: expect.stringContaining('to start over') };
  const cursors = new Map<string, unknown>();
  for (const [name, args] of Object.entries(PAGED)) {
    const cursor = (await data(name, args))['nextCursor'];
    cursors.set(name, cursor);
    const next = await data(name, { ...args, cursor });
    expect(await data(name, { cursor, ...SPELLED_OUT[name], ...args })).toEqual(next);
    const elsewhere = { ...args, path: 'other', cursor };
    expect(reportOf(await call(name, elsewhere))).toMatchObject(refused);
  }
  for (const name of Object.keys(PAGED)) {
    for (const [giver, cursor] of cursors) {
      if (giver === name) continue;
      expect(reportOf(await call(name, { ...PAGED[name], cursor }))).toMatchObject(refused);
    }
  }
  rmSync(tree.path('in/many'), { recursive: true });
  tree.add({ 'in/many/left.txt': 'line\n' });
  for (const [name, cursor] of cursors) {
    const report = reportOf(await call(name, { ...PAGED[name], cursor }));
    expect(report).toMatchObject({ ...refused, message: expect.stringContaining('no longer there') });
  }
  await close();
});
