import { describe, expect, test } from 'vitest';
import { harmless } from '../../../src/cli/output/paint.js';

describe('harmless()', () => {
  test('leaves nothing that a terminal would obey, and lines as they are', () => {
    expect(harmless('a\u001B]0;title\u0007b\n\tc\u009B31md\re\u007F')).toBe('a ]0;title b\n\tc 31md e ');
  });

  test('leaves all other text alone', () => {
    expect(harmless('Größe … 日本 👩‍💻')).toBe('Größe … 日本 👩‍💻');
  });
});
