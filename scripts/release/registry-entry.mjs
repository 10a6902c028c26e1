// What the MCP registry demands of server.json. Its published schema decides; a copy is kept in registry/. The rules below
// are stricter.
import { readFile } from 'node:fs/promises';
import { addFormats, Ajv } from '@modelcontextprotocol/server/validators/ajv';
import * as z from 'zod';

const FETCH_MS = 10_000;

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

/** Stricter than the schema: a member it does not know would be ignored by the registry, and is a mistake here. */
export const entryRules = z.strictObject({
  $schema: z.literal('https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'),
  name: z
    .string()
    .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/)
    .min(3)
    .max(200),
  title: z.string().min(1).max(100),
  description: z.string().min(1).max(100),
  version: exactVersion,
  repository: z
    .strictObject({ url: z.string().startsWith('https://github.com/'), source: z.literal('github') })
    .optional(),
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

const KEPT = new URL('registry/server.schema.json', import.meta.url);

/** The published schema that the entry names: from a file, the copy kept here, or its address; undefined where it is out of reach. */
export async function publishedSchema(entry, file) {
  if (file !== undefined) return JSON.parse(await readFile(file, 'utf8'));
  const kept = JSON.parse(await readFile(KEPT, 'utf8'));
  if (kept.$id === entry.$schema) return kept;
  try {
    const response = await fetch(entry.$schema, { signal: AbortSignal.timeout(FETCH_MS) });
    return response.ok ? await response.json() : undefined;
  } catch {
    return undefined;
  }
}

/** What a schema finds wrong with the entry, one line each. */
export function schemaProblems(entry, schema) {
  const ajv = new Ajv({ strict: false, allErrors: true });
  addFormats(ajv);
  const validate = ajv.compile(schema);
  if (validate(entry)) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath || '/'} ${message}`);
}

/** The same for the rules that are kept here. */
export function ruleProblems(entry) {
  const { error } = entryRules.safeParse(entry);
  return (error?.issues ?? []).map(({ path, message }) => `/${path.join('/')} ${message}`);
}
