import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { configurationJsonSchema } from '../../src/configuration/configuration-schema.js';
import { VERSION } from '../../src/version.js';

const read = (path: string): unknown => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));

test('the published JSON Schema is that of the code (write it anew with packages/server/scripts/schema.mjs)', () => {
  expect(read('../../schema/rootward.schema.json')).toEqual(configurationJsonSchema());
});

test('the version of the program is that of the package', () => {
  expect(read('../../package.json')).toMatchObject({ version: VERSION });
});
