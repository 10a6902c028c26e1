import { expect, test } from 'vitest';
import { leavesOut } from '../../src/projects/left-out.js';

test.each([
  ['include = ["src"]\n', 'tests/a.py', 'include'],
  ['include = ["src"]\n', 'src/shop/a.py', undefined],
  ['exclude = ["**/generated"]\n', 'src/generated/a.py', 'exclude'],
  ['{ "include": ["src/**/*", "test"], "compilerOptions": {} }', 'examples/a.ts', 'include'],
  ['{ "include": ["src/**/*", "test"], "compilerOptions": {} }', 'test/a.ts', undefined],
  ['{ "files": ["main.ts"] }', 'other.ts', 'files'],
  ['{ "exclude": ["./old/"] }', 'old/a.ts', 'exclude'],
  ['{ "compilerOptions": { "strict": true } }', 'a.ts', undefined],
] as const)('leavesOut() of %s for %s', (text, file, expected) => {
  expect(leavesOut(text, file)).toBe(expected);
});
