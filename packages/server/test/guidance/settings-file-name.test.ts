import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { settingsFileName } from '../../src/guidance/settings-file-name.js';

const id = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', 'A', '.', ' ', '%', ':', '2', '~', 'é', '😀', '\\', '/') }),
  fc.string({ unit: 'grapheme', minLength: 60, maxLength: 300 }),
);

describe('settingsFileName()', () => {
  test.each([
    ['app-1a2b3c4d', 'app-1a2b3c4d.json'],
    ['my app v1.2-1a2b3c4d', 'my app v1.2-1a2b3c4d.json'],
    ['проект-1a2b3c4d', 'проект-1a2b3c4d.json'],
    ['100%-1a2b3c4d', '100%25-1a2b3c4d.json'],
    ['C:', 'C%3a.json'],
    ['../../etc/passwd', '..%2f..%2fetc%2fpasswd.json'],
    ['con', '%63on.json'],
    ['ends.', 'ends%2e.json'],
  ])('%j is kept in %j', (project, file) => {
    expect(settingsFileName(project)).toBe(file);
  });

  test('is one name that every system allows', () => {
    fc.assert(
      fc.property(id, (text) => {
        const file = settingsFileName(text);
        expect(file).not.toMatch(/[<>:"|?*\\/\p{Cc}]/u);
        expect(Buffer.byteLength(`${file}.lock.clearing`)).toBeLessThanOrEqual(255);
      }),
    );
  });

  test('different ids never share a file', () => {
    fc.assert(
      fc.property(id, id, (one, other) => {
        expect(settingsFileName(one) === settingsFileName(other)).toBe(one === other);
      }),
    );
    const long = 'x'.repeat(240);
    expect(settingsFileName(`${long}-1`)).not.toBe(settingsFileName(`${long}-2`));
  });
});
