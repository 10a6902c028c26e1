import { afterEach, expect, test } from 'vitest';
import { pathToFileUri } from '@rootward/core';
import { definition } from '@rootward/lsp';
import { CodeWorkspace } from '../fixtures/code-workspace.js';
import { recorded, scripted } from '../fixtures/scripted.js';

let home: CodeWorkspace;

afterEach(() => home.dispose());

/** How many files a server is shown that gives these definitions of `price`, which four files mention. */
async function shown(lines: readonly number[]): Promise<number> {
  const names = ['a/one.toy', 'a/two.toy', 'a/three.toy', 'a/four.toy'];
  home = await CodeWorkspace.open(Object.fromEntries(names.map((name) => [name, 'price'])), 'a');
  const file = home.at('a/one.toy');
  const found = lines.map((line) => {
    const place = { line, character: 0 };
    return { uri: pathToFileUri(file), range: { start: place, end: { line, character: 5 } } };
  });
  const script = {
    capabilities: { definitionProvider: true },
    answers: { 'textDocument/definition': found },
    record: home.at('record'),
  };
  const toy = { ...scripted(script, { folders: 'file-driven' }), answersInOrder: true };
  await definition(home.serve({ servers: [toy] }), { symbol: 'price', file });
  return recorded(home.at('record')).filter(({ didOpen }) => didOpen !== undefined).length;
}

test('definition() shows a server no further file where it has an answer', async () => {
  expect(await shown([0])).toBe(1);
});

test('definition() shows a server the files that mention the name where it has no answer', async () => {
  expect(await shown([])).toBe(4);
});
