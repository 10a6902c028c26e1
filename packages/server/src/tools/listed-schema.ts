import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import type * as z from 'zod';

type JsonSchema = Record<string, unknown>;

/** The same schema, listed without `$schema`: every tool would repeat it, and every client assumes it. */
export function withoutDialect<Schema extends z.ZodObject>(
  schema: Schema,
): StandardSchemaWithJSON<z.input<Schema>, z.output<Schema>> {
  const standard = schema['~standard'];
  return {
    '~standard': {
      version: 1,
      vendor: 'rootward',
      validate: (value) => standard.validate(value),
      jsonSchema: {
        input: (options) => omitDialect(standard.jsonSchema.input(options)),
        output: (options) => omitDialect(standard.jsonSchema.output(options)),
      },
    },
  };
}

function omitDialect({ $schema: _dialect, ...schema }: JsonSchema): JsonSchema {
  return schema;
}
