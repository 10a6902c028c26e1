import { expect, test } from 'vitest';
import { pathToFileUri } from '@rootward/core';
import { PublishedDiagnostics } from '../../src/pool/published-diagnostics.js';
import { FakeClock } from '../../../../testing/fake-clock.js';

const ALL = { sendsAll: 'at once' } as const;
const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } };
const wrong = [{ range, message: 'wrong' }];

test('PublishedDiagnostics keeps what is said about open documents only', async () => {
  const published = new PublishedDiagnostics(new FakeClock(), (path) => path === '/open.toy', ALL);
  for (const path of ['/open.toy', '/closed.toy']) {
    const uri = pathToFileUri(path);
    published.take({ uri, diagnostics: [] });
    const said = await published.of({ path, uri, languageId: 'toy', version: 1, text: '' }, 0);
    expect(said?.diagnostics).toEqual(path === '/open.toy' ? [] : undefined);
  }
});

test('PublishedDiagnostics does not take what is said of a closed document for what is said of it open again', async () => {
  const published = new PublishedDiagnostics(new FakeClock(), () => true, ALL);
  const uri = pathToFileUri('/open.toy');
  const document = { path: '/open.toy', uri, languageId: 'toy', text: '' };
  published.take({ uri, version: 1, diagnostics: wrong });
  expect(await published.of({ ...document, version: 1 }, 0)).toEqual({ diagnostics: wrong, isAll: true });
  published.forget('/open.toy');
  published.take({ uri, diagnostics: [] });
  expect(await published.of({ ...document, version: 2 }, 0)).toBeUndefined();
  published.take({ uri, version: 2, diagnostics: [] });
  expect(await published.of({ ...document, version: 2 }, 0)).toEqual({ diagnostics: [], isAll: true });
});

test.each([
  ['that sends parts', {}, { diagnostics: wrong }, false],
  ['that sends all with a version', { sendsAll: 'with a version' }, { diagnostics: wrong, version: 1 }, true],
] as const)(
  'PublishedDiagnostics of a server %s waits for more than the first message, within bounds',
  async (_, definition, second, isAll) => {
    const clock = new FakeClock();
    const published = new PublishedDiagnostics(clock, () => true, definition);
    const uri = pathToFileUri('/open.toy');
    const document = { path: '/open.toy', uri, languageId: 'toy', text: '', version: 1 };
    published.take({ uri, diagnostics: [] });
    const early = published.of(document, 60_000);
    await clock.advanceAndSettle(999);
    published.take({ uri, ...second, diagnostics: [...second.diagnostics] });
    await clock.advanceAndSettle(1_000);
    expect(await early).toEqual({ diagnostics: wrong, isAll });
    published.forget('/open.toy');
    const never = published.of(document, 60_000);
    await clock.advanceAndSettle(60_000);
    expect(await never).toBeUndefined();
  },
);
