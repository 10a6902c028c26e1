import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { lastWords } from '../../src/connection/spawn-server.js';

test('lastWords() finds what Node says of a program that fails, among the lines around it', () => {
  const { stderr } = spawnSync(process.execPath, ['-e', 'require("no-such-module")'], { encoding: 'utf8' });
  expect(lastWords(stderr)).toBe(" (Error: Cannot find module 'no-such-module')");
});

test('lastWords() otherwise takes the last line, and says nothing of nothing', () => {
  expect(lastWords('starting\nno such option: --lsp\n\n')).toBe(' (no such option: --lsp)');
  expect(lastWords('Traceback:\n  import x\nModuleNotFoundError: No module named x\n')).toBe(
    ' (ModuleNotFoundError: No module named x)',
  );
  expect(lastWords('\n')).toBe('');
  expect(lastWords('x'.repeat(10_000))).toHaveLength(203);
});
