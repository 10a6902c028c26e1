import { RootwardError } from '@rootward/core';
import { isObject, nearestMatch } from '@rootward/core/platform';
import type * as z from 'zod';

/** The part of a JSON schema that tells which arguments there are. */
interface ArgumentSchema {
  readonly properties?: Readonly<Record<string, ArgumentSchema>>;
  readonly required?: readonly string[];
  readonly items?: ArgumentSchema;
  readonly type?: string;
  readonly enum?: readonly string[];
}

type Arguments = Readonly<Record<string, unknown>>;

/**
 * Names that models bring from other tools, with the arguments of ours that they mean. The first one that a tool has
 * counts.
 */
export const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  file_path: ['path', 'file'],
  filePath: ['path', 'file'],
  filepath: ['path', 'file'],
  filename: ['path', 'file'],
  file: ['path'],
  path: ['file'],
  directory: ['path'],
  dir: ['path'],
  folder: ['path'],
  files: ['paths'],
  file_paths: ['paths'],
  text: ['content'],
  contents: ['content'],
  regex: ['pattern'],
  query: ['pattern'],
  pattern: ['query'],
  include: ['glob'],
  case_insensitive: ['ignoreCase'],
  '-i': ['ignoreCase'],
  head_limit: ['limit'],
  max_results: ['limit'],
  old_string: ['oldText'],
  oldString: ['oldText'],
  old_str: ['oldText'],
  new_string: ['newText'],
  newString: ['newText'],
  new_str: ['newText'],
  src: ['source'],
  from: ['source'],
  dest: ['destination'],
  dst: ['destination'],
  to: ['destination'],
  name: ['symbol', 'query'],
};

/** Values for examples, by the name of the argument. */
const SAMPLES: Readonly<Record<string, unknown>> = {
  path: 'src/main.ts',
  file: 'src/main.ts',
  paths: ['src/main.ts', 'README.md'],
  source: 'src/old.ts',
  destination: 'src/new.ts',
  pattern: 'TODO',
  query: 'parse',
  symbol: 'parseLine',
  newName: 'readLine',
  content: 'one line\n',
  oldText: 'before',
  newText: 'after',
};

/**
 * Returns the arguments of a call, checked. Unknown ones are refused with the nearest known name; those of `SYNONYMS` are
 * accepted as what they mean.
 */
export function readArguments(
  tool: string,
  given: unknown,
  schema: z.ZodObject,
  listed: ArgumentSchema,
): Record<string, unknown> {
  if (given !== undefined && !isObject(given)) {
    throw refused(tool, `its arguments must be an object, not ${JSON.stringify(given)}`, listed);
  }
  const named = renamed(tool, combined(given ?? {}, listed), listed, listed, '');
  const result = schema.safeParse(named);
  if (result.success) return result.data;
  const problems = result.error.issues.map((issue) => describeIssue(issue, named, given ?? {}));
  throw refused(tool, problems.join('; '), listed);
}

/** Rewrites forms that are spread over several arguments: one edit without a list, and a range by its first and last line. */
function combined(given: Arguments, { properties = {} }: ArgumentSchema): Arguments {
  let args = given;
  const entry = properties['edits']?.items?.properties;
  if (entry !== undefined && args['edits'] === undefined) {
    const isOfEdit = (name: string): boolean => !(name in properties) && meant(name, entry) !== undefined;
    const own = Object.entries(args).filter(([name]) => isOfEdit(name));
    if (own.length > 0) {
      const rest = Object.entries(args).filter(([name]) => !isOfEdit(name));
      args = { ...Object.fromEntries(rest), edits: [Object.fromEntries(own)] };
    }
  }
  const { start_line: start, end_line: end, ...others } = args;
  const isRange = 'offset' in properties && 'limit' in properties && (start ?? end) !== undefined;
  if (!isRange || [start ?? 1, end ?? 1].some((line) => !Number.isInteger(line))) return args;
  const first = Math.max(1, Number(start ?? 1));
  return { ...others, offset: first - 1, ...(end !== undefined && { limit: Number(end) - first + 1 }) };
}

function renamed(
  tool: string,
  given: Arguments,
  { properties = {} }: ArgumentSchema,
  whole: ArgumentSchema,
  place: string,
): Arguments {
  const read: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    const known = meant(name, properties);
    if (known === undefined) {
      const near = nearestMatch(name, Object.keys(properties));
      const guess = near === undefined ? '' : `; did you mean "${near}"?`;
      throw refused(tool, `"${place}${name}" is not one of its arguments${guess}`, whole);
    }
    if (Object.hasOwn(read, known)) {
      throw refused(tool, `"${place}${known}" is given twice, once as "${place}${name}"`, whole);
    }
    const items = properties[known]?.items;
    read[known] =
      items?.properties !== undefined && Array.isArray(value)
        ? value.map((item: unknown, index) =>
            isObject(item) ? renamed(tool, item, items, whole, `${place}${known}[${index}].`) : item,
          )
        : value;
  }
  return read;
}

/** The argument that a name means; undefined if there is none. */
function meant(name: string, properties: Readonly<Record<string, unknown>>): string | undefined {
  if (Object.hasOwn(properties, name)) return name;
  const words = name.replaceAll(/[_-]([a-z])/g, (_, letter: string) => letter.toUpperCase());
  if (Object.hasOwn(properties, words)) return words;
  const synonyms = Object.hasOwn(SYNONYMS, name) ? (SYNONYMS[name] ?? []) : [];
  return synonyms.find((synonym) => Object.hasOwn(properties, synonym));
}

function describeIssue(issue: z.core.$ZodIssue, args: Arguments, given: Arguments): string {
  const place = issue.path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '');
  const value = valueAt(args, issue.path);
  if (value === undefined) {
    const names = Object.keys(given).map((name) => JSON.stringify(name));
    return `"${place}" is missing (given: ${names.length === 0 ? 'nothing' : names.join(', ')})`;
  }
  // Arguments come from JSON, which can be written again.
  const shown = JSON.stringify(value);
  const short = shown.length > 80 ? `${shown.slice(0, 80)}…` : shown;
  return issue.code === 'invalid_type'
    ? `"${place}" must be ${article(issue.expected)} ${issue.expected}, not ${short}`
    : `"${place}": ${issue.message} (given: ${short})`;
}

function article(word: string): string {
  return /^[aeiou]/.test(word) ? 'an' : 'a';
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let found = value;
  for (const part of path) {
    if (typeof found !== 'object' || found === null) return undefined;
    found = Reflect.get(found, part);
  }
  return found;
}

function refused(tool: string, problem: string, schema: ArgumentSchema): RootwardError {
  const known = Object.keys(schema.properties ?? {});
  return new RootwardError('invalid-option', `Cannot call ${tool}: ${problem}`, {
    instruction: `${tool} takes ${known.join(', ') || 'no arguments'}. Example: ${JSON.stringify(exampleOf(schema))}`,
  });
}

/** A call that would be accepted: each required argument with a value. */
function exampleOf({ properties = {}, required = [] }: ArgumentSchema): Arguments {
  return Object.fromEntries(required.map((name) => [name, sampleOf(name, properties[name] ?? {})]));
}

function sampleOf(name: string, schema: ArgumentSchema): unknown {
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.items?.properties !== undefined) return [exampleOf(schema.items)];
  if (Object.hasOwn(SAMPLES, name)) return SAMPLES[name];
  if (schema.type === 'number' || schema.type === 'integer') return 1;
  if (schema.type === 'boolean') return true;
  return schema.type === 'array' ? ['…'] : '…';
}
