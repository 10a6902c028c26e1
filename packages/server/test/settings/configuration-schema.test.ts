import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readConfigurationFile } from '../../src/settings/configuration-file.js';
import { configurationJsonSchema } from '../../src/settings/configuration-schema.js';
import { lazyCheck } from '../../src/exec/catalogue/argument-schema.js';
import { VERSION } from '../../src/version.js';

const read = (path: string): unknown => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));

test('the published JSON Schema is that of the code (write it anew with packages/server/scripts/schema.mjs)', () => {
  expect(read('../../schema/rootward.schema.json')).toEqual(configurationJsonSchema());
});

const folder = mkdtempSync(join(tmpdir(), 'rootward-schema-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each([
  ...['minimal', ' inherit ', 'allow:A', 'allow: A_1 ,, _b,'].map((toolEnv) => [true, { toolEnv }] as const),
  ...['', 'Minimal', 'all', 'allow:', 'allow:,', 'allow:1A', 'allow:A B', 'inherit,A'].map(
    (toolEnv) => [false, { toolEnv }] as const,
  ),
  ...['a'.repeat(16), `${'~+/.-_'.repeat(3)}==`].map((token) => [true, { token }] as const),
  ...['', 'a'.repeat(15), '='.repeat(16), `${'a'.repeat(16)}\n`, `a b${'a'.repeat(16)}`, 'ü'.repeat(16)].map(
    (token) => [false, { token }] as const,
  ),
  ...['127.0.0.1', '::1', '[::1]', 'build.example'].map((host) => [true, { host }] as const),
  ...['', ' ', '[]'].map((host) => [false, { host }] as const),
  ...['*.key', '[!a]', '**/x/**'].map((glob) => [true, { deny: [glob] }] as const),
  ...['', '!x'].map((glob) => [false, { deny: [glob] }] as const),
  ...[true, false, 0, 65_535].map((http) => [true, { http }] as const),
  ...[-1, 65_536, 1.5, '80', null].map((http) => [false, { http }] as const),
  [true, { languageServers: { mine: { command: 'x', extensions: { '.x': 'x' } }, gopls: false } }],
  [false, { languageServers: { gopls: { commands: 'x' } } }],
  [false, { readonly: true }],
  [false, []],
] as const)('schema and program agree: %j for %j', async (accepted, configuration) => {
  const file = join(folder, 'rootward.json');
  writeFileSync(file, JSON.stringify(configuration));
  const taken = readConfigurationFile(file, folder).then(
    () => true,
    () => false,
  );
  expect(await taken).toBe(accepted);
  const fault = await lazyCheck(configurationJsonSchema())(configuration);
  expect(fault === undefined).toBe(accepted);
});

test('the version of the program is that of the package', () => {
  expect(read('../../package.json')).toMatchObject({ version: VERSION });
});
