import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { maxConnections } from '../../../src/serve/http/max-connections.js';

function limits(openFiles: string): string {
  return `Limit                     Soft Limit           Hard Limit           Units
Max processes             95894                95894                processes
Max open files            ${openFiles.padEnd(21)}${openFiles.padEnd(21)}files
Max locked memory         8388608              8388608              bytes
`;
}

describe('maxConnections()', () => {
  test.each([
    ['1024', 512],
    ['4096', 2048],
    ['20000', 10_000],
    ['1048576', 10_000],
    ['unlimited', 10_000],
  ])('of %s open files leaves half to the calls', (openFiles, expected) => {
    expect(maxConnections(limits(openFiles))).toBe(expected);
  });

  test.each(['', 'Max processes 4096 4096 processes', limits('many')])(
    'is cautious where the limit cannot be read: %j',
    (text) => {
      expect(maxConnections(text)).toBe(1000);
    },
  );

  test.runIf(process.platform === 'linux')('reads the limit of this process', () => {
    const now = readFileSync('/proc/self/limits', 'utf8');
    expect(maxConnections()).toBe(maxConnections(now));
    expect(now).toMatch(/^Max open files/m);
  });
});
