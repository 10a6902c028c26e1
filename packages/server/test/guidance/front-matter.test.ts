import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readFrontMatter } from '../../src/guidance/front-matter.js';

describe('readFrontMatter()', () => {
  test('reads title, description and audience in the forms people write', () => {
    const plain =
      '---\ntitle: Testing\ndescription: "How we: \\"test\\""\naudience: [people, \'assistants\']\n---\n# Other\n';
    expect(readFrontMatter(plain)).toEqual({
      title: 'Testing',
      description: 'How we: "test"',
      audience: ['people', 'assistants'],
    });
    const folded =
      "---\r\ntitle: 'It''s' # why\r\ndescription: >\r\n  over two\r\n  lines\r\naudience:\r\n  - one\r\n- two\r\n---\r\n";
    expect(readFrontMatter(folded)).toEqual({
      title: "It's",
      description: 'over two lines',
      audience: ['one', 'two'],
    });
    expect(readFrontMatter('---\naudience: everyone\n---\n')).toEqual({ audience: ['everyone'] });
  });

  test('takes the first heading where there is no title', () => {
    expect(readFrontMatter('intro\n\n# The *Heading* #\n')).toEqual({ title: 'The *Heading*' });
    expect(readFrontMatter('---\ndescription: d\n---\n\n# Heading\n')).toEqual({
      title: 'Heading',
      description: 'd',
    });
  });

  test.each([
    ['empty', ''],
    ['without front matter', 'text\n'],
    ['never closed', '---\ntitle: no\n'],
    ['not at the top', '\n---\ntitle: no\n---\n'],
    ['with nested keys only', '---\nmeta:\n  title: no\n---\n'],
  ])('finds nothing in a document that is %s', (_, text) => {
    expect(readFrontMatter(text)).toEqual({});
  });

  test('a value is one line of bounded length, whatever the document holds', () => {
    const forged = readFrontMatter('---\ntitle: "a\u001B[2J\u202Eb\u2028c"\n---\n');
    expect(forged.title).toBe('a [2J b c');
    expect(readFrontMatter(`# ${'x'.repeat(5000)}\n`).title).toHaveLength(300);
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', ' ', '"', "'", '#', '[', '\\', '\u001B', '\u2028', '\r') }),
        (text) => {
          const { title = '', description = '' } = readFrontMatter(
            `---\ntitle: ${text}\ndescription: ${text}\n---\n`,
          );
          expect(title + description).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u);
        },
      ),
    );
  });
});
