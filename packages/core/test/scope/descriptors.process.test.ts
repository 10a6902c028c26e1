import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { RootwardError } from '../../src/error.js';
import { Scope } from '../../src/scope/scope.js';
import { platforms, rootAt, useTree } from './fixture.js';

const tree = useTree();

/** What a call changed is changed back, so that the next round finds the same tree. */
const OPERATIONS: readonly (readonly [string, (scope: Scope, path: string, round: number) => unknown])[] = [
  ['contains', (scope, path) => scope.contains(path)],
  ['locate', (scope, path) => scope.locate(path)],
  ['open', async (scope, path) => (await scope.open(path)).close()],
  ['open to write', async (scope, path) => (await scope.open(path, { access: 'read-write' })).close()],
  ['readText', (scope, path) => scope.readText(path, { tail: 1 })],
  ['readBytes', (scope, path) => scope.readBytes(path)],
  ['write', (scope, path, round) => scope.write(path, String(round))],
  ['append', (scope, path) => scope.write(path, '', { mode: 'append' })],
  [
    'write new and remove',
    async (scope, path) => {
      await scope.write(path, 'new', { mode: 'new' });
      await scope.remove(path);
    },
  ],
  [
    'mkdir and remove',
    async (scope, path) => {
      await scope.mkdir(path);
      await scope.remove(path);
    },
  ],
  [
    'mkdir and remove, recursive',
    async (scope, path) => {
      await scope.mkdir(`${path}/a/b`, { recursive: true });
      await scope.remove(`${path}/a`, { recursive: true });
    },
  ],
  ['remove what may not be removed', (scope, path) => scope.remove(`${path}/guarded`, { recursive: true })],
  ['list', (scope, path) => scope.list(path, { stats: true })],
  ['stat', (scope, path) => scope.stat(path)],
  [
    'rename',
    async (scope, path) => {
      await scope.rename(path, 'moved/x');
      await scope.rename('moved/x', path);
    },
  ],
  ['copy', (scope, path) => scope.copy(path, 'copied', { overwrite: true })],
  [
    'walk',
    async (scope, path, round) => {
      for await (const entry of scope.walk(path, { gitignore: true })) {
        if (entry.depth > round % 3) break;
      }
    },
  ],
];

function descriptors(): number {
  return readdirSync('/proc/self/fd').length;
}

describe.runIf(process.platform === 'linux').each(platforms)('on the %s platform', (name, platform) => {
  // The portable platform opens nothing to hold an object, so there is less to lose.
  const rounds = name === 'system' ? 1000 : 340;

  test.each(OPERATIONS)(
    'many calls of %s, good and bad, leave no descriptor open',
    async (operation, run) => {
      tree().make({
        'a.txt': 'text',
        '.env': 'secret',
        '.gitignore': '*.log',
        sub: { deep: { 'b.txt': '' }, guarded: { more: { '.env': '' } } },
        moved: {},
        full: { '.env': '' },
      });
      tree().link('in', 'sub');
      tree().link('out', tree().outside);
      tree().link('dangling', 'missing/file');
      tree().link('loop', 'loop');
      const scope = new Scope({
        roots: [rootAt(tree().inside)],
        rules: { deny: ['.env', 'sub/*.key'] },
        platform,
      });
      const paths = [
        'a.txt',
        'sub',
        'in',
        'in/deep/b.txt',
        '.',
        'out',
        'out/x',
        'dangling',
        'loop',
        '.env',
        'full',
        'none',
        'none/x',
        'a.txt/x',
        '',
        '..',
        tree().outside,
      ];
      let good = 0;
      const before = descriptors();
      for (let round = 0; round < rounds; round++) {
        try {
          await run(scope, paths[round % paths.length]!, round);
          good++;
        } catch (error) {
          if (!(error instanceof RootwardError)) throw error;
        }
      }
      // Each path comes up at least twenty times; a few descriptors more or less are the test runner's own.
      expect(descriptors() - before).toBeLessThan(10);
      expect(good > 0).toBe(!operation.startsWith('remove what'));
    },
  );
});
