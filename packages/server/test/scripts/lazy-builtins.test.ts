import { Script } from 'node:vm';
import { build } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { lazyBuiltins } from '../../scripts/lazy-builtins.mjs';
import { LAZILY } from '../../scripts/lazy-constants.mjs';

const MODERN = `
  import { readFile } from 'node:fs/promises';
  import { Worker } from 'node:worker_threads';
  import { join } from 'node:path';
  export const read = () => readFile(join('a', 'b'));
  export const start = () => new Worker('file');
`;
const OLD = `
  const children = require('node:child_process');
  exports.spawn = () => children.spawn('program');
`;

interface Loaded {
  readonly required: readonly string[];
  readonly exported: Record<string, () => unknown>;
}

/** A bundle of a module of each kind, with modules of Node that say what was asked of them. */
async function loaded(): Promise<Loaded> {
  const { outputFiles } = await build({
    stdin: { contents: "module.exports = { ...require('modern'), ...require('old') };" },
    plugins: [
      {
        name: 'modules-of-the-test',
        setup(bundler) {
          bundler.onResolve({ filter: /^(?:modern|old)$/ }, ({ path }) => ({ path, namespace: 'test' }));
          bundler.onLoad({ filter: /./, namespace: 'test' }, ({ path }) => ({
            contents: path === 'old' ? OLD : MODERN,
          }));
        },
      },
    ],
    bundle: true,
    write: false,
    platform: 'node',
    format: 'cjs',
  });
  const required: string[] = [];
  const builtins: Record<string, object> = {
    'node:fs/promises': { readFile: (path: string) => `read ${path}` },
    'node:worker_threads': {
      Worker: class {
        readonly file: string;
        constructor(file: string) {
          this.file = file;
        }
      },
    },
    'node:path': { join: (...names: string[]) => names.join('/') },
    'node:child_process': { spawn: (program: string) => `spawned ${program}` },
  };
  const require = (name: string): unknown => {
    required.push(name);
    return builtins[name];
  };
  const code = LAZILY + lazyBuiltins(outputFiles[0]?.text ?? '');
  const run = new Script(`(function(module,require){${code}\n})`).runInThisContext() as (
    ...given: unknown[]
  ) => void;
  const module = { exports: {} };
  run(module, require);
  return { required, exported: module.exports };
}

describe('lazyBuiltins()', () => {
  test('lets a module of Node be loaded when it is first used, and once', async () => {
    const { required, exported } = await loaded();
    expect(required).toEqual(['node:path']);
    expect(exported['read']?.()).toBe('read a/b');
    expect(exported['read']?.()).toBe('read a/b');
    expect(exported['spawn']?.()).toBe('spawned program');
    expect(required).toEqual(['node:path', 'node:fs/promises', 'node:child_process']);
  });

  test('leaves a constructor one', async () => {
    const { exported } = await loaded();
    expect(exported['start']?.()).toEqual({ file: 'file' });
  });

  test('fails where the bundle looks otherwise', () => {
    expect(() => lazyBuiltins('var nothing;')).toThrow('Cannot find the modules of Node');
  });
});
