import { expect, test } from 'vitest';
import { codeOnly } from '../../src/documents/code-only.js';

function squeezed(value: string): string {
  return value.replace(/ +/g, ' ').replace(/ +$/gm, '');
}

test.each([
  ['typescript', 'a; // word\n/* word\nword */ b(`${word}`, "word", \'word\');', 'a; \n\n b(`${word}`, , );'],
  ['typescript', 'const it = "a \\" word" + word;', 'const it =  + word;'],
  [
    'python',
    'def f(): # word\n  """word\nword"""\n  return f"{word}" + r"word"',
    'def f(): \n  \n\n  return f"{word}" + r',
  ],
  ['c', "char c = '\"'; word();", 'char c = ; word();'],
  ['go', 'x := `word\nword` + word', 'x := \n + word'],
  ['shellscript', 'echo "$word" ${#word} # word\n', 'echo "$word" ${#word} \n'],
  ['unknown', '// word', '// word'],
])('codeOnly() of %s blanks comments and strings: %j', (language, text, code) => {
  const found = codeOnly(text, language);
  expect(found).toHaveLength(text.length);
  expect(squeezed(found)).toBe(squeezed(code));
});
