import { RootwardError, Scope } from '@rootward/core';
import { suggest } from '@rootward/core/platform';
import * as z from 'zod';

export type Checked<Value> =
  | { readonly ok: true; readonly configuration: Value }
  | { readonly ok: false; readonly problems: readonly string[] };

/** Checks against a schema of an object with `deny`, and names what is wrong, with the nearest key or value. */
export function checkAgainst<Value extends { readonly deny?: readonly string[] }>(
  schema: z.ZodObject,
  value: unknown,
): Checked<Value> {
  const result = schema.safeParse(value);
  if (!result.success) {
    return { ok: false, problems: result.error.issues.flatMap((issue) => describe(issue, schema, value)) };
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema has just said so
  const configuration = result.data as Value;
  const problem = denyProblem(configuration.deny ?? []);
  return problem === undefined ? { ok: true, configuration } : { ok: false, problems: [problem] };
}

function describe(issue: z.core.$ZodIssue, schema: z.ZodObject, value: unknown): readonly string[] {
  const at = issue.path.map(String).join('.');
  if (issue.code === 'unrecognized_keys') {
    const known = keysAt(z.toJSONSchema(schema), issue.path);
    return issue.keys.map(
      (key) => `"${at === '' ? key : `${at}.${key}`}" is not known${suggest(key, known)}`,
    );
  }
  const received = quote(issue.path, value);
  const fault = at === '' ? `it is ${received}` : `"${at}" is ${received}`;
  if (issue.code === 'invalid_value') {
    const choices = issue.values.map(String);
    return [`${fault}, expected ${choices.join(', ')}${suggest(received.replaceAll('"', ''), choices)}`];
  }
  if (issue.code === 'invalid_type') return [`${fault}, expected ${issue.expected}`];
  if (issue.code === 'invalid_union') {
    // The kind that fits, apart from something inside.
    const nearest = issue.errors.find((each) => each.every(isInside));
    if (nearest !== undefined) {
      return nearest.flatMap((each) =>
        describe({ ...each, path: [...issue.path, ...each.path] }, schema, value),
      );
    }
    return [`${fault}, expected ${[...new Set(issue.errors.flat().flatMap(kindsOf))].join(' or ')}`];
  }
  return [`${fault}: ${issue.message}`];
}

function isInside(issue: z.core.$ZodIssue): boolean {
  return issue.path.length > 0 || issue.code === 'unrecognized_keys';
}

function kindsOf(issue: z.core.$ZodIssue): readonly string[] {
  if (issue.code === 'invalid_value') return issue.values.map(String);
  return 'expected' in issue ? [String(issue.expected)] : [];
}

/** What a JSON schema allows at a place: one kind, or several. */
function kinds(schema: unknown): readonly unknown[] {
  const choices = member(schema, 'anyOf');
  return Array.isArray(choices) ? choices : [schema];
}

/** The keys a JSON schema knows at a place. */
function keysAt(schema: unknown, path: readonly PropertyKey[]): readonly string[] {
  const step = (nodes: readonly unknown[], key: PropertyKey): readonly unknown[] =>
    nodes
      .map((node) => member(member(node, 'properties'), key) ?? member(node, 'additionalProperties'))
      .flatMap(kinds);
  return path.reduce(step, kinds(schema)).flatMap((node) => Object.keys(Object(member(node, 'properties'))));
}

/** A secret that is almost right must not appear in a message. */
function quote(path: readonly PropertyKey[], value: unknown): string {
  if (path[0] === 'token') return 'not a token';
  return JSON.stringify(path.reduce<unknown>(member, value)) ?? 'nothing';
}

function member(value: unknown, key: PropertyKey): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}

/** A glob that cannot be compiled would be taken for protection; one that takes minutes would hold up everything. */
function denyProblem(deny: readonly string[]): string | undefined {
  try {
    void new Scope({ roots: [], rules: { deny } });
    return undefined;
  } catch (error) {
    if (error instanceof RootwardError) return error.message;
    throw error;
  }
}
