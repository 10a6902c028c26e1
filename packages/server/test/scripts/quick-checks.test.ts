import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';
import { build } from 'esbuild';
import * as fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { checkQuickly } from '../../scripts/quick-checks.mjs';

type Outcome = { readonly ok: true; readonly value: unknown } | { readonly ok: false };

interface Codec {
  validateRequest(method: string, raw: unknown): Outcome;
  validateResult(method: string, raw: unknown): Outcome;
  validateNotification(method: string, raw: unknown): Outcome;
}

interface Sdk {
  readonly isJSONRPCRequest: (value: unknown) => boolean;
  readonly isJSONRPCNotification: (value: unknown) => boolean;
  readonly isJSONRPCResultResponse: (value: unknown) => boolean;
  readonly isJSONRPCErrorResponse: (value: unknown) => boolean;
  readonly Server: { readonly prototype: object };
}

async function load(rewrite: (contents: string) => string): Promise<Sdk> {
  const { outputFiles } = await build({
    stdin: {
      contents: "export * from '@modelcontextprotocol/server';",
      resolveDir: fileURLToPath(new URL('.', import.meta.url)),
    },
    plugins: [
      {
        name: 'rewrite',
        setup(bundler) {
          bundler.onLoad({ filter: /@modelcontextprotocol\/server\/dist\/src-[^/]+\.mjs$/ }, ({ path }) => ({
            contents: rewrite(readFileSync(path, 'utf8')),
          }));
        },
      },
    ],
    bundle: true,
    write: false,
    platform: 'node',
    format: 'cjs',
    logLevel: 'error',
  });
  const script = new Script(`(function(exports,require,module){${outputFiles[0]?.text}\n})`);
  const run = script.runInThisContext() as (...given: unknown[]) => void;
  const module: { exports: object } = { exports: {} };
  run(module.exports, createRequire(import.meta.url), module);
  return module.exports as Sdk;
}

function codecOf({ Server }: Sdk, revision: string): Codec {
  const codecFor = Reflect.get(Server.prototype, '_negotiatedWireCodec') as () => Codec;
  return Reflect.apply(codecFor, { _negotiatedProtocolVersion: revision }, []);
}

/** What JSON can hold, and what only a handler can return. */
const odd = fc.constantFrom<unknown>(
  undefined,
  null,
  true,
  0,
  1.5,
  2 ** 60,
  'text',
  [],
  [1],
  {},
  { a: 1 },
  JSON.parse('{ "__proto__": { "a": 1 }, "b": 2 }'),
  new Date(0),
  Object.create(null),
  // oxlint-disable-next-line no-sparse-arrays -- a handler may return one
  [, { type: 'text', text: 'a' }],
  { constructor: 'text' },
  { constructor: Date },
);
/** Mostly as it should be. */
const or = (right: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 6, arbitrary: right }, odd);
const maybe = (right: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 3, arbitrary: right }, odd);
/** Members that are undefined are there or not. */
function members(shape: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<unknown> {
  const more = fc.oneof(
    { weight: 8, arbitrary: fc.constant({}) },
    fc.constantFrom({ extra: 1 }, { task: {} }),
  );
  return fc.tuple(fc.record(shape), more, fc.boolean()).map(([own, other, keep]) => {
    const all = { ...own, ...other };
    return keep ? all : Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  });
}

const meta = members({
  progressToken: maybe(fc.constantFrom('t', 7)),
  'io.modelcontextprotocol/related-task': maybe(fc.constantFrom({ taskId: 'a' }, { taskId: 1 })),
  'io.modelcontextprotocol/serverInfo': maybe(fc.constantFrom({ name: 'a', version: '1' }, { name: 1 })),
});
const params = members({
  name: or(fc.constant('read_text_file')),
  arguments: maybe(fc.constant({ path: 'a' })),
  _meta: maybe(meta),
});
const text = members({
  type: or(fc.constant('text')),
  text: or(fc.string()),
  annotations: maybe(fc.constant({})),
});
const result = members({
  content: or(fc.array(or(text), { maxLength: 3 })),
  structuredContent: maybe(fc.constant({ a: { b: [1] } })),
  isError: maybe(fc.boolean()),
  _meta: maybe(meta),
  resultType: maybe(fc.constant('complete')),
});
const nothing = fc.constant({});
const introduction = members({
  protocolVersion: or(fc.constant('2025-11-25')),
  capabilities: or(
    members({
      roots: maybe(members({ listChanged: maybe(fc.boolean()) })),
      sampling: maybe(fc.oneof(nothing, members({ context: maybe(nothing), tools: maybe(nothing) }))),
      elicitation: maybe(fc.oneof(nothing, members({ form: maybe(nothing), url: maybe(nothing) }))),
      experimental: fc.oneof(
        { weight: 4, arbitrary: fc.constant(undefined) },
        fc.constant({ 'a/b': { c: 1 } }),
      ),
    }),
  ),
  clientInfo: or(
    members({
      name: or(fc.constant('a')),
      version: or(fc.constant('1')),
      title: maybe(fc.constant('A')),
      websiteUrl: maybe(fc.constant('https://a.example')),
      description: maybe(fc.constant('')),
      icons: fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, fc.constant([{ src: 'a.png' }])),
    }),
  ),
  _meta: maybe(meta),
});
const message = members({
  jsonrpc: or(fc.constant('2.0')),
  id: maybe(fc.constantFrom(1, 'one')),
  method: maybe(fc.constant('tools/call')),
  params: maybe(params),
  result: maybe(result),
  error: maybe(fc.constant({ code: 1, message: 'no' })),
});

const read = (outcome: Outcome): unknown => (outcome.ok ? outcome.value : 'refused');

describe('checkQuickly()', () => {
  let plain: Sdk;
  let quick: Sdk;
  beforeAll(async () => {
    [plain, quick] = await Promise.all([load((contents) => contents), load(checkQuickly)]);
  });

  test('takes a message for what the schemas take it for', () => {
    const kinds = [
      'isJSONRPCRequest',
      'isJSONRPCNotification',
      'isJSONRPCResultResponse',
      'isJSONRPCErrorResponse',
    ] as const;
    const found = new Set<string>();
    fc.assert(
      fc.property(message, (value) => {
        const expected = kinds.filter((kind) => plain[kind](value));
        expect(kinds.filter((kind) => quick[kind](value))).toEqual(expected);
        for (const kind of expected) found.add(kind);
      }),
      { numRuns: 10_000 },
    );
    expect(found.size).toBe(kinds.length);
  });

  test.each(['2025-11-25', '2026-07-28'])('reads calls and results of %s as the schemas do', (revision) => {
    const [slow, fast] = [codecOf(plain, revision), codecOf(quick, revision)];
    const accepted = { calls: 0, results: 0 };
    fc.assert(
      fc.property(params, result, (given, returned) => {
        const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: given };
        const [expected, seen] = [slow, fast].map((codec) => read(codec.validateRequest('tools/call', call)));
        expect(JSON.stringify(sorted(seen))).toBe(JSON.stringify(sorted(expected)));
        if (expected !== 'refused') accepted.calls += 1;
        const [right, own] = [slow, fast].map((codec) => read(codec.validateResult('tools/call', returned)));
        expect(JSON.stringify(sorted(own))).toBe(JSON.stringify(sorted(right)));
        if (right !== 'refused') accepted.results += 1;
      }),
      { numRuns: 10_000 },
    );
    expect(accepted.calls).toBeGreaterThan(100);
    expect(accepted.results).toBeGreaterThan(100);
  });

  test('reads the introduction of a client as the schemas do', () => {
    const [slow, fast] = [codecOf(plain, '2025-11-25'), codecOf(quick, '2025-11-25')];
    let accepted = 0;
    fc.assert(
      fc.property(introduction, (given) => {
        const request = { jsonrpc: '2.0', id: 1, method: 'initialize', params: given };
        const [expected, seen] = [slow, fast].map((codec) =>
          read(codec.validateRequest('initialize', request)),
        );
        expect(JSON.stringify(sorted(seen))).toBe(JSON.stringify(sorted(expected)));
        if (expected !== 'refused') accepted += 1;
      }),
      { numRuns: 10_000 },
    );
    expect(accepted).toBeGreaterThan(100);
  });

  test.each(['2025-11-25', '2026-07-28'])('reads notifications of %s as the schemas do', (revision) => {
    const [slow, fast] = [codecOf(plain, revision), codecOf(quick, revision)];
    const known = ['initialized', 'roots/list_changed', 'cancelled'].map((name) => `notifications/${name}`);
    const notification = members({
      jsonrpc: or(fc.constant('2.0')),
      method: or(fc.constantFrom(...known)),
      params: maybe(members({ requestId: maybe(fc.constant(1)), _meta: maybe(meta) })),
    });
    const accepted = new Set<unknown>();
    fc.assert(
      fc.property(fc.constantFrom(...known), or(notification), (method, given) => {
        const [expected, seen] = [slow, fast].map((codec) => read(codec.validateNotification(method, given)));
        expect(JSON.stringify(sorted(seen))).toBe(JSON.stringify(sorted(expected)));
        if (expected !== 'refused') accepted.add(method);
      }),
      { numRuns: 10_000 },
    );
    expect(accepted.size).toBe(revision === '2025-11-25' ? known.length : 1);
  });

  test('reads what belongs to other methods as before', () => {
    for (const codec of [codecOf(plain, '2025-11-25'), codecOf(quick, '2025-11-25')]) {
      expect(codec.validateRequest('tools/list', { method: 'tools/list', params: { name: 1 } }).ok).toBe(
        true,
      );
      expect(codec.validateRequest('prompts/get', { method: 'prompts/get', params: {} }).ok).toBe(false);
      expect(codec.validateRequest('tools/call', { method: 'tools/list', params: { name: 'a' } }).ok).toBe(
        false,
      );
      expect(codec.validateRequest('tools/call', null).ok).toBe(false);
      expect(codec.validateRequest('initialize', null).ok).toBe(false);
      expect(codec.validateResult('tools/list', { content: [] }).ok).toBe(false);
    }
  });

  test('leaves the introduction to the revision that has one', () => {
    const clientInfo = { name: 'a', version: '1' };
    const asked = {
      method: 'initialize',
      params: { protocolVersion: '2026-07-28', capabilities: {}, clientInfo },
    };
    for (const sdk of [plain, quick]) {
      expect(codecOf(sdk, '2026-07-28').validateRequest('initialize', asked)).toMatchObject({
        ok: false,
        reason: 'not-in-era',
      });
    }
  });

  test('fails where the SDK looks otherwise', () => {
    expect(() => checkQuickly('const nothing = 1;')).toThrow('Cannot find const isJSONRPCRequest');
  });
});

/** By name, since the order of members means nothing. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  const names = Object.keys(value).sort();
  return names
    .map((name) => [name, sorted(Reflect.get(value, name))])
    .filter(([, each]) => each !== undefined);
}
