import { Script } from 'node:vm';
import { build } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { splitBundle } from '../../scripts/split-bundle.mjs';

const MODULES: Readonly<Record<string, string>> = {
  shared: `
    export class Animal { constructor(name) { this.name = name; } }
    export let count = 0;
    export function add() { count += 1; return count; }
    export function self() { return this; }
    export const tag = (texts, ...values) => texts.join('|') + values.join('|');
    export const limit = 3;
  `,
  usual: `
    import { add } from 'shared';
    export const usual = () => add();
  `,
  rare: `
    import { Animal, add, count, self, tag, limit } from 'shared';
    import old from 'old';
    class Bird extends Animal {}
    export const rare = () => {
      const before = count;
      add();
      const makeBird = (count2 = limit) => new Bird('bird ' + count2);
      return { before, count, limit, made: makeBird(), isAnimal: new Bird('') instanceof Animal, plain: new Animal('a').name, self: self(), tagged: tag\`a\${limit}b\`, old: old.value(), key: { limit: 1 }.limit };
    };
  `,
  old: 'module.exports = { value: () => "old" };',
  compiler: 'module.exports = { compile: () => "compiled" };',
};
const ENTRY = `
  import { add, Animal } from 'shared';
  exports.add = add;
  exports.Animal = Animal;
  exports.usual = async () => (await import('usual')).usual();
  exports.rare = async () => (await import('rare')).rare();
  exports.old = async () => (await import('old')).default.value();
  exports.compile = () => require('compiler').compile();
`;

async function bundled(entry: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: entry },
    plugins: [
      {
        name: 'modules-of-the-test',
        setup(bundler) {
          bundler.onResolve({ filter: /^\w+$/ }, ({ path }) => ({ path, namespace: 'test' }));
          bundler.onLoad({ filter: /./, namespace: 'test' }, ({ path }) => ({
            contents: MODULES[path] ?? '',
          }));
        },
      },
    ],
    bundle: true,
    write: false,
    platform: 'node',
    format: 'cjs',
    supported: { 'dynamic-import': false },
  });
  return outputFiles[0]?.text ?? '';
}

type Exported = Readonly<Record<string, () => unknown>>;

/** What the first part exports, and how often the rest was read. */
async function split(): Promise<{ exported: Exported; first: string; rest: string; reads: () => number }> {
  const { first, rest } = splitBundle(await bundled(ENTRY), {
    isFirst: (path) => path === 'test:usual',
    isRest: (path) => path === 'test:compiler',
  });
  let reads = 0;
  const load = (members: object): unknown => {
    reads += 1;
    const part = new Script(`(function(__first){'use strict';${rest}})`).runInThisContext() as (
      given: object,
    ) => unknown;
    return part(members);
  };
  const run = new Script(`(function(exports,module,__load){'use strict';${first}\n})`).runInThisContext() as (
    ...given: unknown[]
  ) => void;
  const module = { exports: {} };
  run(module.exports, module, load);
  return { exported: module.exports, first, rest, reads: () => reads };
}

describe('splitBundle()', () => {
  test('leaves in the first part what the entry uses, and what it imports on demand where that is said', async () => {
    const { exported, reads } = await split();
    expect(exported['add']?.()).toBe(1);
    expect(await exported['usual']?.()).toBe(2);
    expect(reads()).toBe(0);
  });

  test('puts nothing into both parts', async () => {
    const { first, rest } = await split();
    for (const [only, other] of [
      ['this.name = name', '"bird "'],
      ['"test:usual"', '"test:rare"'],
      ['"test:shared"', '"test:compiler"'],
    ] as const) {
      expect([first.includes(only), rest.includes(only)]).toEqual([true, false]);
      expect([first.includes(other), rest.includes(other)]).toEqual([false, true]);
    }
  });

  test('reads the rest once, when it is first used, and both parts see the same variables', async () => {
    const { exported, reads } = await split();
    exported['add']?.();
    expect(await exported['rare']?.()).toEqual({
      before: 1,
      count: 2,
      limit: 3,
      made: { name: 'bird 3' },
      isAnimal: true,
      plain: 'a',
      self: undefined,
      tagged: 'a|b3',
      old: 'old',
      key: 1,
    });
    expect(exported['add']?.()).toBe(3);
    expect(await exported['old']?.()).toBe('old');
    expect(reads()).toBe(1);
  });

  test('leaves out of the first part what is said to belong to the rest', async () => {
    const { exported, reads } = await split();
    expect(reads()).toBe(0);
    expect(exported['compile']?.()).toBe('compiled');
    expect(reads()).toBe(1);
  });

  test.each([
    'count = 1',
    'count++',
    '[count] = [1]',
    '({ count } = { count: 1 })',
    '({ a: count = 2 } = {})',
    '[...count] = []',
    'for (count of []);',
    'for (count in {});',
  ])('refuses a bundle in which one part assigns to what belongs to the other: %s', (assignment) => {
    const code = `
      var __esm = (fn) => fn;
      var count = 0;
      var init_rare = __esm({ "rare"() { ${assignment}; } });
      var rare_exports = {};
      exports.count = () => count;
      exports.rare = () => Promise.resolve().then(() => (init_rare(), rare_exports));
    `;
    expect(() => splitBundle(code, { isFirst: () => false, isRest: () => false })).toThrow(
      'Cannot split the bundle: count is assigned in the other part',
    );
  });

  test.each(['class Animal {}', 'var { a } = {};', 'if (true) f();'])(
    'refuses a bundle with what it does not know: %s',
    (statement) => {
      expect(() => splitBundle(statement, { isFirst: () => false, isRest: () => false })).toThrow(
        'Cannot split the bundle: it ',
      );
    },
  );
});
