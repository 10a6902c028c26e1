import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { describeJsonFault } from '../../src/settings/parse-json.js';

function faultOf(text: string): string {
  try {
    JSON.parse(text);
  } catch (error) {
    return describeJsonFault(text, error);
  }
  throw new Error(`${text} is JSON`);
}

test.each([
  ['{\n  "a": 1,\n  b: 2\n}', / at line 3, column 3$/],
  ['{\n  "a": 1,\n}', / at line 3, column 1$/],
  ['[1,\r\n]', / at line 2, column 1$/],
  ['{} x', / at line 1, column 4$/],
  ['{"a": tru}', / at line 1, column 10$/],
  ['{"a": -}', / at line 1, column 8$/],
  ['{"token": "secret",,}', /^(?!.*secret).* at line 1, column 20$/],
  ['{"a": [1, 2}', / at line 1, column 12$/],
  ['', /end/],
  ['{"a": "b', /^Unterminated string/],
])('describeJsonFault() of %j says where', (text, expected) => {
  expect(faultOf(text)).toMatch(expected);
});

test('describeJsonFault() finds what was put into the middle of JSON', () => {
  fc.assert(
    fc.property(fc.array(fc.integer(), { minLength: 1, maxLength: 50 }), fc.nat(), (numbers, seed) => {
      const lines = JSON.stringify(numbers, undefined, 1).split('\n');
      const line = 1 + (seed % numbers.length);
      lines[line] = ` ?${lines[line] ?? ''}`;
      expect(faultOf(lines.join('\n'))).toMatch(new RegExp(` at line ${line + 1}, column 2$`));
    }),
  );
});
