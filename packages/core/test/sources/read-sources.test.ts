import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

test('the sources of this package read nothing from the process itself', () => {
  for (const file of [
    'read-sources',
    'root-source',
    'flag',
    'env',
    'config',
    'project',
    'host',
    'cwd',
    'request',
  ]) {
    const text = readFileSync(new URL(`../../src/sources/${file}.ts`, import.meta.url), 'utf8');
    expect(text.replaceAll(/\/\*\*.*?\*\//gs, '')).not.toMatch(/process\.|homedir/);
  }
});
