import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { compileLate } from '../../scripts/late-compilation.mjs';

interface Outcome {
  readonly data?: unknown;
  readonly error?: { readonly issues: unknown };
}

interface Zod {
  readonly object: (shape: object) => { readonly safeParse: (value: unknown) => Outcome };
  readonly string: () => unknown;
}

async function load(rewrite: (contents: string) => string, compiled: () => void): Promise<Zod> {
  const { outputFiles } = await build({
    stdin: {
      contents: "export { object, string } from 'zod';",
      resolveDir: fileURLToPath(new URL('.', import.meta.url)),
    },
    plugins: [
      {
        name: 'rewrite',
        setup(bundler) {
          bundler.onLoad({ filter: /\/zod\/v4\/core\/schemas\.js$/ }, ({ path }) => ({
            contents: rewrite(readFileSync(path, 'utf8')),
          }));
        },
      },
    ],
    bundle: true,
    write: false,
    format: 'cjs',
    logLevel: 'error',
  });
  const script = new Script(`(function(module, exports, Function){${outputFiles[0]?.text}\n})`);
  const run = script.runInThisContext() as (...given: unknown[]) => void;
  const module: { exports?: Zod } = {};
  const counting = new Proxy(Function, {
    construct: (target, given: string[]) => {
      // With an empty body, Zod only finds out whether it may compile.
      if (given.some((text) => text !== '')) compiled();
      return Reflect.construct(target, given);
    },
  });
  run(module, {}, counting);
  return module.exports!;
}

/** Each copy of Zod has errors of its own. */
function plain({ data, error }: Outcome): unknown {
  return { data, issues: error?.issues };
}

test('compileLate() lets a schema of Zod parse its first values without compiling it, with the same results', async () => {
  const compiled: string[] = [];
  const [late, soon] = await Promise.all([
    load(compileLate, () => compiled.push('late')),
    load(
      (contents) => contents,
      () => compiled.push('soon'),
    ),
  ]);
  const schemas = [late, soon].map(({ object, string }) => object({ name: string() }));
  for (const value of [{ name: 'a', more: 1 }, { name: 1 }, {}, undefined]) {
    const [one, other] = schemas.map((schema) => plain(schema.safeParse(value)));
    expect(one).toEqual(other);
  }
  expect(compiled).toEqual(['soon']);
  for (let turn = 0; turn < 30; turn++) schemas[0]?.safeParse({ name: 'a' });
  expect(compiled).toEqual(['soon', 'late']);
});

test('compileLate() throws where Zod has changed', () => {
  expect(() => compileLate('const schemas = {};')).toThrow('Cannot find where Zod compiles schemas');
});
