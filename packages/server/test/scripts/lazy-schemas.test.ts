import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';
import { build, type Plugin } from 'esbuild';
import { beforeAll, describe, expect, test } from 'vitest';
import { lazySchemas, registerLazily } from '../../scripts/lazy-schemas.mjs';

interface Sdk {
  readonly specTypeSchemas: Readonly<Record<string, unknown>>;
  readonly toJSONSchema: (schema: unknown, options: object) => object;
}

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Loaded on demand, as the command line loads it. */
const ENTRY = "exports.load = () => require('./sdk-of-the-test');";
const SDK = `
  export { toJSONSchema } from 'zod';
  export { specTypeSchemas } from '@modelcontextprotocol/server';
`;

async function bundled(register: (contents: string) => string): Promise<string> {
  const plugin: Plugin = {
    name: 'sdk-of-the-test',
    setup(bundler) {
      bundler.onResolve({ filter: /sdk-of-the-test$/ }, ({ path }) => ({ path, namespace: 'test' }));
      bundler.onLoad({ filter: /./, namespace: 'test' }, () => ({ contents: SDK, resolveDir: here('.') }));
      bundler.onLoad({ filter: /@modelcontextprotocol\/server\/dist\/src-[^/]+\.mjs$/ }, ({ path }) => ({
        contents: register(readFileSync(path, 'utf8')),
      }));
    },
  };
  const { outputFiles } = await build({
    stdin: { contents: ENTRY, resolveDir: here('.') },
    plugins: [plugin],
    bundle: true,
    write: false,
    platform: 'node',
    format: 'cjs',
    logLevel: 'error',
  });
  return outputFiles[0]?.text ?? '';
}

function load(code: string): Sdk {
  const exported: { load?: () => Sdk } = {};
  const script = new Script(`(function(exports,require,module){${code}\n})`);
  const run = script.runInThisContext() as (...given: unknown[]) => void;
  run(exported, createRequire(import.meta.url), { exports: exported });
  return exported.load!();
}

function shapes({ specTypeSchemas, toJSONSchema }: Sdk): object {
  const schemas = Object.entries(specTypeSchemas);
  return Object.fromEntries(
    schemas.map(([name, schema]) => [name, toJSONSchema(schema, { unrepresentable: 'any' })]),
  );
}

describe('lazySchemas()', () => {
  let plain: Sdk;
  let lazy: Sdk;
  beforeAll(async () => {
    plain = load(await bundled((contents) => contents));
    lazy = load(lazySchemas(await bundled(registerLazily)));
  });

  test('lets a schema be made when it is first used', () => {
    const members = Object.values(Object.getOwnPropertyDescriptors(lazy.specTypeSchemas));
    expect(members.filter((member) => 'value' in member)).toEqual([]);
    expect(lazy.specTypeSchemas['Tool']).toBe(lazy.specTypeSchemas['Tool']);
  });

  test('changes none', () => {
    expect(Object.keys(shapes(lazy)).length).toBeGreaterThan(100);
    expect(shapes(lazy)).toEqual(shapes(plain));
  });

  test('fails where the SDK looks otherwise', () => {
    expect(() => lazySchemas('var nothing;')).toThrow('Cannot find the schemas of the SDK');
    expect(() => registerLazily('')).toThrow('in the SDK');
  });
});
