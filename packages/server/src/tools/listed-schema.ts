import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import type * as z from 'zod';

type JsonSchema = Record<string, unknown>;

/** A schema made on first use, and listed without `$schema`: every tool would repeat it, and every client assumes it. */
export function listedSchema<Schema extends z.ZodObject>(
  schema: () => Schema,
): StandardSchemaWithJSON<z.input<Schema>, z.output<Schema>> {
  return {
    '~standard': {
      version: 1,
      vendor: 'rootward',
      validate: (value) => schema()['~standard'].validate(value),
      jsonSchema: {
        input: (options) => omitDialect(schema()['~standard'].jsonSchema.input(options)),
        output: (options) => omitDialect(schema()['~standard'].jsonSchema.output(options)),
      },
    },
  };
}

function omitDialect({ $schema: _dialect, ...schema }: JsonSchema): JsonSchema {
  return schema;
}
