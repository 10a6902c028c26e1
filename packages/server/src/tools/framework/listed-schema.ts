import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import type * as z from 'zod';
import { isObject } from '@rootward/core/platform';

type JsonSchema = Record<string, unknown>;

/**
 * A schema made on first use, and listed without what every tool would repeat and no client needs: `$schema`, that
 * nothing else may be in an object (later versions may add), that whole numbers end at 2^53, and which members an
 * answer always has. The whole list is read into a model's context before any work is done.
 */
export function listedSchema<Schema extends z.ZodObject>(
  schema: () => Schema,
): StandardSchemaWithJSON<z.input<Schema>, z.output<Schema>> {
  return {
    '~standard': {
      version: 1,
      vendor: 'rootward',
      validate: (value) => schema()['~standard'].validate(value),
      jsonSchema: {
        input: (options) =>
          once(schema, `input ${options.target}`, () =>
            shorten(schema()['~standard'].jsonSchema.input(options)),
          ),
        output: (options) =>
          once(schema, `output ${options.target}`, () =>
            withoutRequired(shorten(schema()['~standard'].jsonSchema.output(options))),
          ),
      },
    },
  };
}

const made = new WeakMap<object, Map<string, JsonSchema>>();

/** Over HTTP every request has a server of its own; making all schemas anew takes longer than everything else in a listing. */
function once(schema: object, form: string, make: () => JsonSchema): JsonSchema {
  let forms = made.get(schema);
  if (forms === undefined) made.set(schema, (forms = new Map()));
  let json = forms.get(form);
  if (json === undefined) forms.set(form, (json = make()));
  return json;
}

function shorten({ $schema: _dialect, ...schema }: JsonSchema): JsonSchema {
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key, value]) => !isRepetition(key, value))
      .map(([key, value]) => [key, shortenAny(value)]),
  );
}

function withoutRequired(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key, value]) => key !== 'required' || !Array.isArray(value))
      .map(([key, value]) => [key, withoutRequiredAny(value)]),
  );
}

function withoutRequiredAny(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutRequiredAny);
  return isObject(value) ? withoutRequired(value) : value;
}

function isRepetition(key: string, value: unknown): boolean {
  if (key === 'additionalProperties') return value === false || isEmpty(value);
  return key === 'maximum' && value === Number.MAX_SAFE_INTEGER;
}

function shortenAny(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shortenAny);
  return isObject(value) ? shorten(value) : value;
}

function isEmpty(value: unknown): boolean {
  return isObject(value) && Object.keys(value).length === 0;
}
