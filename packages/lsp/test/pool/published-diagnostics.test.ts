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
