import { expect, test } from 'vitest';
import { readPatterns } from '../../src/documents/watch-patterns.js';

function matches(globPattern: unknown, folder: string, relative: string): boolean {
  const registration = { id: '1', method: 'x', registerOptions: { watchers: [{ globPattern }] } };
  return readPatterns(registration).some((pattern) => pattern(folder, relative));
}

test.each([
  ['**/*.py', '/w', 'a/b.py', true],
  ['**/*.py', '/w', 'a/b.ts', false],
  ['{**/*.py,**/setup.cfg}', '/w', 'setup.cfg', true],
  ['**', '/w', '.hidden/x', true],
  ['**/x.[!0-9]', '/w', 'x.a', true],
  ['**/x.[!0-9]', '/w', 'x.1', false],
  ['/w[1]/**/*', '/w[1]', 'a/b.ts', true],
  ['/w[1]/**/*', '/w1', 'a/b.ts', false],
  ['/w/sub/**/*', '/w', 'sub/x/y.ts', true],
  ['/w/sub/**/*', '/w', 'subway/y.ts', false],
  ['/w/tsconfig.json', '/w', 'tsconfig.json', true],
  [{ baseUri: 'file:///w%20x', pattern: '**/*.ts' }, '/w x', 'a.ts', true],
  [{ baseUri: { uri: 'file:///w', name: 'w' }, pattern: '*.ts' }, '/w', 'a/b.ts', false],
  [{ baseUri: 'https://w', pattern: '**' }, '/w', 'a', false],
])('%j for %s and %s: %s', (pattern, folder, relative, expected) => {
  expect(matches(pattern, folder, relative)).toBe(expected);
});

test('readPatterns() takes a registration without patterns for none', () => {
  expect(readPatterns({ id: '1', method: 'x' })).toEqual([]);
  expect(readPatterns({ id: '1', method: 'x', registerOptions: { watchers: 'all' } })).toEqual([]);
});
