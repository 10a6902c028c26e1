import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';

/** A schema that is made when it is first used: the first one that Zod makes takes 1 ms, which no start has to wait for. */
export function madeLater<Input, Output>(
  make: () => StandardSchemaWithJSON<Input, Output>,
): StandardSchemaWithJSON<Input, Output> {
  let schema: StandardSchemaWithJSON<Input, Output> | undefined;
  const standard = (): StandardSchemaWithJSON<Input, Output>['~standard'] => (schema ??= make())['~standard'];
  return {
    '~standard': {
      version: 1,
      vendor: 'zod',
      validate: (value) => standard().validate(value),
      jsonSchema: {
        input: (options) => standard().jsonSchema.input(options),
        output: (options) => standard().jsonSchema.output(options),
      },
    },
  };
}
