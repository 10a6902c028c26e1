import { afterEach, beforeEach, expect, test } from 'vitest';
import { pathToFileUri } from '@rootward/core';
import { outline, references } from '@rootward/lsp';
import { CodeWorkspace } from '../fixtures/code-workspace.js';
import { recorded, scripted } from '../fixtures/scripted.js';

let home: CodeWorkspace;

beforeEach(async () => {
  home = await CodeWorkspace.open(
    { 'a/price.toy': 'price', 'a/use.toy': 'price total', 'a/total.toy': 'total' },
    'a',
  );
  const capabilities = { referencesProvider: true };
  const script = { capabilities, answers: { 'textDocument/references': [] }, record: home.at('record') };
  const toy = { ...scripted(script, { folders: 'file-driven' }), answersInOrder: true };
  home.serve({ servers: [{ ...toy, remembersClosed: true }] });
});

afterEach(() => home.dispose());

/** The files that each process was shown, in the order in which they started. */
function shown(): readonly (readonly string[])[] {
  const processes: string[][] = [];
  for (const { start, didOpen } of recorded(home.at('record'))) {
    if (start !== undefined) processes.push([]);
    if (didOpen !== undefined) processes.at(-1)!.push(didOpen);
  }
  return processes.map((files) => files.toSorted());
}

function uris(...names: readonly string[]): readonly string[] {
  return names.map((name) => pathToFileUri(home.at('a', name)));
}

test('a server that remembers closed files is asked about uses in a process that was shown no others', async () => {
  const code = home.context();
  await outline(code, { file: home.at('a/total.toy') });
  await references(code, { symbol: 'price', file: home.at('a/price.toy') });
  await references(code, { symbol: 'price', file: home.at('a/use.toy') });
  await references(code, { symbol: 'total', file: home.at('a/use.toy') });
  expect(shown()).toEqual([uris('total.toy'), uris('price.toy', 'use.toy'), uris('total.toy', 'use.toy')]);
  expect(home.servers.status()).toHaveLength(2);
});

test('questions about uses that come at once are asked one after the other', async () => {
  const code = home.context();
  await Promise.all([
    references(code, { symbol: 'price', file: home.at('a/price.toy') }),
    references(code, { symbol: 'total', file: home.at('a/total.toy') }),
    references(code, { symbol: 'price', file: home.at('a/use.toy') }),
  ]);
  const sets = [uris('price.toy', 'use.toy'), uris('total.toy', 'use.toy')];
  expect(shown().length).toBeGreaterThan(1);
  for (const files of shown()) expect(sets).toContainEqual(files);
});
