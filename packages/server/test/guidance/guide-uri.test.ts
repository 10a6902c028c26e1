import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { guideUri, readGuideUri } from '../../src/guidance/guide-uri.js';

const name = fc
  .string({ unit: 'grapheme', minLength: 1 })
  .filter((text) => !/^\.{1,2}$|\//.test(text) && text.isWellFormed());

describe('guideUri()', () => {
  test('any document comes back as it was, also after a client normalised the URI', () => {
    fc.assert(
      fc.property(name, fc.array(name, { minLength: 1 }), (category, path) => {
        const reference = { category, document: path.join('/') };
        expect(readGuideUri(guideUri(reference))).toEqual(reference);
        expect(readGuideUri(new URL(guideUri(reference)).href)).toEqual(reference);
      }),
    );
  });

  test.each([
    '',
    'guide://',
    'guide://docs',
    'guide://docs/',
    'guide:///a.md',
    'file://docs/a.md',
    'guide://docs/%zz',
  ])('%j names no document', (uri) => {
    expect(readGuideUri(uri)).toBeUndefined();
  });
});
