import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { OPTIONS } from '../packages/server/dist/settings/values/options.js';

const repository = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string): unknown => JSON.parse(readFileSync(join(repository, path), 'utf8'));

/** What the schema of 2025-12-11 says of the members used here, without those that are not. */
const input = {
  description: z.string().optional(),
  isRequired: z.boolean().optional(),
  format: z.enum(['string', 'number', 'boolean', 'filepath']).optional(),
  choices: z.array(z.string()).min(1).optional(),
};
const argument = z.discriminatedUnion('type', [
  z.strictObject({
    ...input,
    type: z.literal('positional'),
    valueHint: z.string(),
    isRepeated: z.boolean().optional(),
  }),
  z.strictObject({
    ...input,
    type: z.literal('named'),
    name: z.string().startsWith('--'),
    isRepeated: z.boolean().optional(),
  }),
]);
const exactVersion = z.string().regex(/^\d+\.\d+\.\d+(-[\w.]+)?$/);
const serverSchema = z.strictObject({
  $schema: z.literal('https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'),
  name: z
    .string()
    .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/)
    .max(200),
  title: z.string().min(1).max(100),
  description: z.string().min(1).max(100),
  version: exactVersion,
  packages: z
    .array(
      z.strictObject({
        registryType: z.literal('npm'),
        identifier: z.string(),
        version: exactVersion,
        runtimeHint: z.literal('npx'),
        transport: z.strictObject({ type: z.literal('stdio') }),
        packageArguments: z.array(argument),
        environmentVariables: z.array(z.strictObject({ ...input, name: z.string() })),
      }),
    )
    .min(1),
});

const manifest = z
  .object({ name: z.string(), version: z.string(), mcpName: z.string() })
  .parse(read('packages/server/package.json'));

describe('server.json', () => {
  const entry = serverSchema.parse(read('server.json'));

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
});
