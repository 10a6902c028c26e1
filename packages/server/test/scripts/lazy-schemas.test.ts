import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';
import { build, type Plugin } from 'esbuild';
import { beforeAll, describe, expect, test } from 'vitest';
import { LAZILY, lazySchemas, registerLazily } from '../../scripts/lazy-schemas.mjs';

interface Sdk {
  /** How many constants were made while it was loaded. */
  readonly made: number | undefined;
  /** How many since then. */
  readonly madeNow: () => number | undefined;
  readonly skillSchemas: Readonly<Record<string, unknown>>;
  readonly specTypeSchemas: Readonly<Record<string, unknown>>;
  readonly toJSONSchema: (schema: unknown, options: object) => object;
  readonly McpServer: new (info: object) => object;
  readonly SkillsExtension: new (options: object) => { attach(server: object): void };
}

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Loaded on demand, as the command line loads it. */
const ENTRY = "exports.load = () => require('./sdk-of-the-test');";
const SDK = `
  export { toJSONSchema } from 'zod';
  export { McpServer, specTypeSchemas } from '@modelcontextprotocol/server';
  export { SkillsExtension } from '@modelcontextprotocol/server/ext/skills';
  export * as skillSchemas from '@modelcontextprotocol/core/ext/skills';
`;

/** Counts the constants that were made. */
const COUNTING = LAZILY.replace('make()', '(exports.made = (exports.made ?? 0) + 1, make())');

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
  const exported: { load?: () => Omit<Sdk, 'made' | 'madeNow'>; made?: number } = {};
  const script = new Script(`(function(exports,require,module){${code}\n})`);
  const run = script.runInThisContext() as (...given: unknown[]) => void;
  run(exported, createRequire(import.meta.url), { exports: exported });
  return { ...exported.load!(), made: exported.made, madeNow: () => exported.made };
}

function shapes({ specTypeSchemas, skillSchemas, toJSONSchema }: Sdk): object {
  const ofSkills = Object.entries(skillSchemas).filter(([name]) => name.endsWith('Schema'));
  const schemas = [...Object.entries(specTypeSchemas), ...ofSkills];
  return Object.fromEntries(
    schemas.map(([name, schema]) => [name, toJSONSchema(schema, { unrepresentable: 'any' })]),
  );
}

describe('lazySchemas()', () => {
  let plain: Sdk;
  let lazy: Sdk;
  beforeAll(async () => {
    plain = load(await bundled((contents) => contents));
    lazy = load(COUNTING + lazySchemas(await bundled(registerLazily)));
  });

  test('lets a schema be made when it is first used', () => {
    const members = Object.values(Object.getOwnPropertyDescriptors(lazy.specTypeSchemas));
    expect(members.filter((member) => 'value' in member)).toEqual([]);
    expect(lazy.specTypeSchemas['Tool']).toBe(lazy.specTypeSchemas['Tool']);
  });

  test('makes none when the SDK is loaded, not even those that have two names or are put into others', () => {
    expect(lazy.made).toBeUndefined();
  });

  test('makes none for a handler before a request comes', () => {
    const source = { list: () => ({ skills: [] }), readDirectory: () => undefined };
    const server = new lazy.McpServer({ name: 'a', version: '1' });
    const before = lazy.madeNow();
    new lazy.SkillsExtension({ source }).attach(server);
    expect(lazy.madeNow()).toBe(before);
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
