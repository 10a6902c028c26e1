import { isObject } from '@rootward/core/platform';
import * as z from 'zod';
import type { Tool } from './define-tool.js';

type JsonSchema = Record<string, unknown>;

/** The schemas of a tool as a client sees them. */
export interface ListedSchemas {
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
}

/**
 * Makes the schemas of a tool on first use, without what every tool would repeat and no client needs: `$schema`, that
 * nothing else may be in an object, that whole numbers end at 2^53, and which members an answer always has. The whole
 * list is read into a model's context before any work is done.
 */
export function listedSchemas(tool: Tool): ListedSchemas {
  const input = listings.get(tool, 'input', () => shorten(jsonSchemaOf(inputOf(tool), 'input')));
  const { output: makeOutput } = tool;
  if (makeOutput === undefined) return { inputSchema: input };
  const output = listings.get(tool, 'output', () =>
    withoutRequired(shorten(jsonSchemaOf(orChange(tool, makeOutput()), 'output'))),
  );
  return { inputSchema: input, outputSchema: output };
}

/** The schema of a tool's arguments. Every tool takes a handle: it spares a question, or names the caller's working tree. */
export function inputOf(tool: Tool): z.ZodObject {
  return schemas.get(tool, 'input', () => tool.input().extend({ workspace: handleArgument() }));
}

function jsonSchemaOf(schema: z.ZodObject, io: 'input' | 'output'): JsonSchema {
  return schema['~standard'].jsonSchema[io]({ target: 'draft-2020-12' });
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
