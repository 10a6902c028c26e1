import { expect, test } from 'vitest';
import { pathToFileUri } from '@rootward/core';
import { PublishedDiagnostics } from '../../src/pool/published-diagnostics.js';
import { FakeClock } from '../../../../testing/fake-clock.js';

test('PublishedDiagnostics keeps what is said about open documents only', async () => {
  const published = new PublishedDiagnostics(new FakeClock(), (path) => path === '/open.toy');
  for (const path of ['/open.toy', '/closed.toy']) {
    const uri = pathToFileUri(path);
    published.take({ uri, diagnostics: [] });
    const said = await published.of({ path, uri, languageId: 'toy', version: 1, text: '' }, 0);
    expect(said).toEqual(path === '/open.toy' ? [] : undefined);
  }
});

test('PublishedDiagnostics does not take what is said of a closed document for what is said of it open again', async () => {
  const published = new PublishedDiagnostics(new FakeClock(), () => true);
  const uri = pathToFileUri('/open.toy');
  const document = { path: '/open.toy', uri, languageId: 'toy', text: '' };
  const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } };
  const wrong = [{ range, message: 'wrong' }];
  published.take({ uri, version: 1, diagnostics: wrong });
  expect(await published.of({ ...document, version: 1 }, 0)).toEqual(wrong);
  published.forget('/open.toy');
  published.take({ uri, diagnostics: [] });
  expect(await published.of({ ...document, version: 2 }, 0)).toBeUndefined();
  published.take({ uri, version: 2, diagnostics: [] });
  expect(await published.of({ ...document, version: 2 }, 0)).toEqual([]);
});
