import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import {
  entryRules,
  publishedSchema,
  ruleProblems,
  schemaProblems,
} from '../scripts/release/registry-entry.mjs';
import { OPTIONS } from '../packages/server/dist/settings/values/options.js';

const repository = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string): unknown => JSON.parse(readFileSync(join(repository, path), 'utf8'));

const manifest = z
  .object({ name: z.string(), version: z.string(), mcpName: z.string() })
  .parse(read('packages/server/package.json'));

describe('server.json', () => {
  const entry = entryRules.parse(read('server.json'));

  test('names the package and version that are published, and the package names it', () => {
    expect(entry).toMatchObject({ name: manifest.mcpName, version: manifest.version });
    expect(entry.packages).toMatchObject([{ identifier: manifest.name, version: manifest.version }]);
  });

  test('names options that exist', () => {
    const flags = entry.packages.flatMap(({ packageArguments }) =>
      packageArguments.flatMap((each) => (each.type === 'named' ? [each.name] : [])),
    );
    const variables = entry.packages.flatMap(({ environmentVariables }) =>
      environmentVariables.map(({ name }) => name),
    );
    expect(OPTIONS.map(({ flag }) => flag.split(' ')[0])).toEqual(expect.arrayContaining(flags));
    expect(OPTIONS.map(({ variable }) => variable)).toEqual(expect.arrayContaining(variables));
  });

  test('is refused where a rule or the schema of the registry does not hold', async () => {
    const description = 'x'.repeat(101);
    expect(ruleProblems({ ...entry, description })).toEqual([expect.stringContaining('/description')]);
    expect(ruleProblems({ ...entry, remote: [] })).toEqual([expect.stringContaining('remote')]);
    const schema = (await publishedSchema(entry, undefined)) ?? {};
    expect(schema).toMatchObject({ $id: entry.$schema });
    expect(schemaProblems(entry, schema)).toEqual([]);
    expect(schemaProblems({ ...entry, description }, schema)).toEqual([
      '/description must NOT have more than 100 characters',
    ]);
  });
});
