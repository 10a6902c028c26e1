import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import { isObject } from '@rootward/core/platform';
import * as z from 'zod';
import type { Tool } from './define-tool.js';

type JsonSchema = Record<string, unknown>;

/** What a server is told about the arguments and the answer of a tool. */
export interface ListedSchemas {
  readonly inputSchema: StandardSchemaWithJSON<unknown, Record<string, unknown>>;
  readonly outputSchema?: StandardSchemaWithJSON<unknown, Record<string, unknown>>;
}

/** Made on first use. Every tool takes a handle: it spares a question, or says in which working tree the caller works. */
export function listedSchemas(tool: Tool): ListedSchemas {
  const input = (): z.ZodObject =>
    schemas.get(tool, 'input', () => tool.input().extend({ workspace: handleArgument() }));
  const { output: makeOutput } = tool;
  if (makeOutput === undefined) return { inputSchema: listed(input) };
  const output = (): z.ZodObject => schemas.get(tool, 'output', () => orChange(tool, makeOutput()));
  return { inputSchema: listed(input), outputSchema: listed(output) };
}

/** A tool that changes files says so, and under which change they are kept; where it failed then, it says only that. */
function orChange({ annotations }: Tool, output: z.ZodObject): z.ZodObject {
  if (annotations.readOnlyHint) return output;
  return output.partial().extend({ changed: z.boolean().optional(), changeId: z.string().optional() });
}

/** Short, since every tool has it. */
function handleArgument(): z.ZodOptional<z.ZodString> {
  return z.string().optional().describe('Handle from workspace_info');
}

/**
 * Listed without what every tool would repeat and no client needs: `$schema`, that nothing else may be in an object
 * (later versions may add), that whole numbers end at 2^53, and which members an answer always has. The whole list is
 * read into a model's context before any work is done.
 */
function listed(schema: () => z.ZodObject): StandardSchemaWithJSON<unknown, Record<string, unknown>> {
  return {
    '~standard': {
      version: 1,
      vendor: 'rootward',
      validate: (value) => schema()['~standard'].validate(value),
      jsonSchema: {
        input: (options) =>
          listings.get(schema(), `input ${options.target}`, () =>
            shorten(schema()['~standard'].jsonSchema.input(options)),
          ),
        output: (options) =>
          listings.get(schema(), `output ${options.target}`, () =>
            withoutRequired(shorten(schema()['~standard'].jsonSchema.output(options))),
          ),
      },
    },
  };
}

/** Over HTTP every request has a server of its own; making all schemas anew takes longer than everything else in a listing. */
class MadeOnce<Value> {
  readonly #made = new WeakMap<object, Map<string, Value>>();

  get(owner: object, form: string, make: () => Value): Value {
    const forms = this.#made.get(owner) ?? new Map<string, Value>();
    this.#made.set(owner, forms);
    const value = forms.get(form) ?? make();
    forms.set(form, value);
    return value;
  }
}

const schemas = new MadeOnce<z.ZodObject>();
const listings = new MadeOnce<JsonSchema>();

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
