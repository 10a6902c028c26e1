import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { connectRootward, makeFolders, textOf } from './fixtures/rootward.js';

const folders = makeFolders('a', 'sparse');
/** Takes for ever with `(a+)+$`. */
for (const name of ['1', '2', '3', '4', '5']) {
  writeFileSync(join(folders.path('a'), `${name}.trap`), `${'a'.repeat(60)}b\n`);
}

test('a pattern that takes for ever ends with an error, and meanwhile everyone else is served', async () => {
  const { client } = await connectRootward([folders.path('a')]);
  const state = { done: false };
  const slow = Promise.all(
    Array.from({ length: 2 }, () => client.callTool('search_content', { pattern: '(a+)+$', glob: '*.trap' })),
  ).finally(() => (state.done = true));
  let served = 0;
  while (!state.done) {
    const read = await client.callTool('read_text_file', { path: 'name.txt' });
    expect(textOf(read)).toBe('a');
    served++;
  }
  // Where matching holds up the server, a call gets through between two of the ten files at best. How many more come
  // depends on how busy the machine is.
  expect(served).toBeGreaterThan(11);
  for (const result of await slow) {
    expect(result).toMatchObject({ isError: true });
    expect(textOf(result)).toContain('matching takes too long');
  }
});

test('a sparse file of 8 TB is searched to a limit, and said to be unfinished', async () => {
  const file = join(folders.path('sparse'), 'huge.log');
  writeFileSync(file, 'needle\n');
  truncateSync(file, 8 * 1024 ** 4);
  const { client } = await connectRootward([folders.path('sparse')]);
  const result = await client.callTool('search_content', { pattern: 'needle|thread' });
  expect(result['structuredContent']).toMatchObject({ matches: [{ line: 1 }], unfinishedFiles: 1 });
});
