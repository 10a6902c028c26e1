import { RootwardError, Scope } from '@rootward/core';
import type { ClientRootsMode } from '@rootward/core';
import type * as z from 'zod';
import { globCost } from '../glob-cost.js';
import type { ToolsetName } from '../tools/toolset-name.js';
import { configurationSchema } from './configuration-schema.js';
import { suggest } from './nearest-match.js';
import type { LogLevel } from './option-values.js';

/** What `rootward.json` may say. */
export interface Configuration {
  readonly roots?: readonly unknown[];
  readonly within?: readonly string[];
  readonly clientRoots?: ClientRootsMode;
  readonly toolsets?: readonly ToolsetName[];
  readonly readOnly?: boolean;
  readonly deny?: readonly string[];
  readonly project?: string;
  readonly toolEnv?: string;
  readonly languageServers?: Readonly<Record<string, unknown>>;
  readonly trustWorkspaceServers?: boolean;
  readonly chdir?: boolean;
  readonly http?: number | boolean;
  readonly host?: string;
  readonly token?: string;
  readonly insecureNoToken?: boolean;
  readonly audit?: string;
  readonly logLevel?: LogLevel;
}

export type Checked<Value> =
  | { readonly ok: true; readonly configuration: Value }
  | { readonly ok: false; readonly problems: readonly string[] };

/** Checks parsed JSON. Entries of `roots` are not looked at: a bad one is skipped later, and the others count. */
export function checkConfiguration(value: unknown): Checked<Configuration> {
  const settled = isObject(value) && Array.isArray(value['roots']) ? { ...value, roots: [] } : value;
  const checked = checkAgainst<Configuration>(configurationSchema, settled);
  if (!checked.ok) return checked;
  const { configuration } = checked;
  const roots = isObject(value) && Array.isArray(value['roots']) ? { roots: value['roots'] } : {};
  return { ok: true, configuration: { ...configuration, ...roots } };
}

/** Checks against a schema of an object with `deny`, and names what is wrong, with the nearest key or value. */
export function checkAgainst<Value extends { readonly deny?: readonly string[] }>(
  schema: z.ZodObject,
  value: unknown,
): Checked<Value> {
  const result = schema.safeParse(value);
  if (!result.success) {
    const keys = Object.keys(schema.shape);
    return { ok: false, problems: result.error.issues.flatMap((issue) => describe(issue, keys, value)) };
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema has just said so
  const configuration = result.data as Value;
  const problem = denyProblem(configuration.deny ?? []);
  return problem === undefined ? { ok: true, configuration } : { ok: false, problems: [problem] };
}

function describe(issue: z.core.$ZodIssue, keys: readonly string[], value: unknown): readonly string[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => `"${key}" is not known${suggest(key, keys)}`);
  }
  const at = issue.path.map(String).join('.');
  const received = quote(issue.path, value);
  if (issue.code === 'invalid_value') {
    const choices = issue.values.map(String);
    return [
      `"${at}" is ${received}, expected ${choices.join(', ')}${suggest(received.replaceAll('"', ''), choices)}`,
    ];
  }
  if (issue.code === 'invalid_union') {
    const kinds = issue.errors.flat().flatMap((each) => ('expected' in each ? [String(each.expected)] : []));
    return [`"${at}" is ${received}, expected ${[...new Set(kinds)].join(' or ')}`];
  }
  return [at === '' ? issue.message : `"${at}" is ${received}: ${issue.message}`];
}

/** A secret that is almost right must not appear in a message. */
function quote(path: readonly PropertyKey[], value: unknown): string {
  if (path[0] === 'token') return 'no token';
  return JSON.stringify(path.reduce<unknown>(member, value)) ?? 'nothing';
}

function member(value: unknown, key: PropertyKey): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}

/** A glob that cannot be compiled would be taken for protection; one that takes minutes would hold up everything. */
function denyProblem(deny: readonly string[]): string | undefined {
  try {
    void new Scope({ roots: [], rules: { deny } });
    const costly = deny.find((pattern) => globCost(pattern) !== undefined);
    if (costly === undefined) return undefined;
    return `Cannot read the deny pattern ${JSON.stringify(costly)}: ${globCost(costly)}`;
  } catch (error) {
    if (error instanceof RootwardError) return error.message;
    throw error;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
