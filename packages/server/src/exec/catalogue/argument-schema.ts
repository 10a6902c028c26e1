import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import { isObject, type JsonObject } from '@rootward/core/platform';

/** Arguments as a handler gets them: those of the tool, and the handle, which is not for the tool. */
export interface CheckedArguments {
  readonly tool: Readonly<Record<string, unknown>>;
  /** Where the workspace looks for a handle. */
  readonly workspace?: string;
}

type Check = (value: unknown) => string | undefined;

const HANDLE = 'workspace';
const HANDLE_SCHEMA = { type: 'string', description: 'Handle from workspace_info' };

/** A JSON schema for the SDK. The validator is loaded with the first call, not with the server. */
export function argumentSchema(schema: JsonObject): StandardSchemaWithJSON<unknown, CheckedArguments> {
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  // A tool that has a `workspace` of its own keeps it.
  const takesHandle = !Object.hasOwn(properties, HANDLE);
  const listed = takesHandle ? { ...schema, properties: { ...properties, [HANDLE]: HANDLE_SCHEMA } } : schema;
  const check = lazyCheck(schema);
  return {
    '~standard': {
      version: 1,
      vendor: 'rootward',
      validate: async (value) => {
        const { tool, handle } = split(value, takesHandle);
        // An invalid handle must not make the call use other roots.
        if (handle !== undefined && typeof handle !== 'string') {
          return { issues: [{ message: `${HANDLE}: expected a string, received ${typeof handle}` }] };
        }
        const fault = await check(tool);
        if (fault !== undefined) return { issues: [{ message: fault }] };
        return { value: { tool, ...(handle !== undefined && { workspace: handle }) } };
      },
      jsonSchema: { input: () => ({ ...listed }), output: () => ({ ...listed }) },
    },
  };
}

/** The schema of what a tool answers. */
export function resultSchema(schema: JsonObject): StandardSchemaWithJSON<unknown, unknown> {
  const check = lazyCheck(schema);
  return {
    '~standard': {
      version: 1,
      vendor: 'rootward',
      validate: async (value) => {
        const fault = await check(value);
        return fault === undefined ? { value } : { issues: [{ message: fault }] };
      },
      jsonSchema: { input: () => ({ ...schema }), output: () => ({ ...schema }) },
    },
  };
}

/** Checks against a schema; says what is wrong. */
export function lazyCheck(schema: JsonObject): (value: unknown) => Promise<string | undefined> {
  let check: Promise<Check> | undefined;
  return async (value) => {
    check ??= loadCheck(schema);
    return (await check)(value);
  };
}

async function loadCheck(schema: JsonObject): Promise<Check> {
  const { CfWorkerJsonSchemaValidator } = await import('@modelcontextprotocol/server/validators/cf-worker');
  const validate = new CfWorkerJsonSchemaValidator({ shortcircuit: false }).getValidator({ ...schema });
  return (value) => {
    const verdict = validate(value);
    return verdict.valid ? undefined : innermost(verdict.errorMessage);
  };
}

/** What the validator says of a level that fails because an inner one does. */
const TELLS_NOTHING = [
  'does not match schema.',
  'A subschema had errors.',
  'Items did not match schema.',
  'Instance does not match every subschema.',
];
const UNKNOWN = 'False boolean schema.';

/**
 * The validator names every level that fails because an inner one does, and takes a known property with a wrong value
 * for an unknown one as well; the innermost fault says what to do.
 */
function innermost(message: string): string {
  const faults = message.split('; ');
  const telling = faults.filter(
    (fault) =>
      !TELLS_NOTHING.some((ending) => fault.endsWith(ending)) && !takesKnownForUnknown(fault, faults),
  );
  return [...new Set((telling.length === 0 ? faults : telling).map(inOurWords))].join('; ');
}

/** What the validator says, and what callers are told: it calls what it checks an instance, callers know arguments. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/Instance does not have required property (".*")\.$/, '$1 is missing'],
  [/Instance type "(.*?)" is invalid\. Expected "(.*)"\.$/, 'expected $2, received $1'],
  [/Instance does not match any of (\[.*\])\.$/, 'it must be one of $1'],
  [/Instance matched "not" schema\.$/, 'this value is not allowed'],
  [/Instance does not match any subschemas\.$/, 'it matches none of the alternatives'],
  [
    /Instance does not match exactly one subschema \((\d+) matches\)\.$/,
    'it matches $1 alternatives, not one',
  ],
  [/Instance does not match "(?:then|else)" schema\.$/, 'it does not fit the other arguments'],
  [/Instance does not match (.*)\.$/, 'it must be $1'],
  [/Instance does not have at least (\d+) properties\.$/, 'the number of its fields is wrong (limit $1)'],
  [/Instance has (".*") but does not have (".*")\.$/, '$2 is missing, which $1 needs'],
  [/Instance has (".*") but does not match dependant schema\.$/, 'it does not fit $1'],
  [/Property name (".*") does not match schema\.$/, '$1 is not allowed as a name'],
  [/Property (".*") does not match (?:additional|unevaluated) properties schema\.$/, 'unknown argument $1'],
  [/Property (".*") matches pattern .* but does not match associated schema\.$/, '$1 does not fit its name'],
  [/Items did not match (?:additional|unevaluated) items schema\.$/, 'it has items too many'],
  [/(-?[\d.e+]+) is (less|greater) than or equal to +(-?[\d.e+]+)\.$/, 'it must not be $1: the limit is $3'],
  [/(-?[\d.e+]+) is less than +(-?[\d.e+]+)\.$/, 'it must be at least $2'],
  [/(-?[\d.e+]+) is greater than +(-?[\d.e+]+)\.$/, 'it must be at most $2'],
  [/String does not match pattern\.$/, 'it does not match its pattern'],
  [/String does not match format "(.*)"\.$/, 'it is not of the format "$1"'],
];

/** The validator names places as JSON pointers. */
function inOurWords(fault: string): string {
  const [, place = '', said = fault] = /^#\/?(.*?): (.*)$/s.exec(fault) ?? [];
  if (said === UNKNOWN) {
    const name = place.split('/').at(-1) ?? '';
    const around = place.slice(0, Math.max(0, place.length - name.length - 1));
    return `${around === '' ? '' : `${around}: `}unknown argument "${name}"`;
  }
  const [pattern, words] = WORDS.find(([each]) => each.test(said)) ?? [/\.$/, ''];
  return `${place === '' ? '' : `${place}: `}${said.replace(pattern, words)}`;
}

function takesKnownForUnknown(fault: string, faults: readonly string[]): boolean {
  const outer =
    /^(#.*?): Property "(.*)" does not match (?:additional|unevaluated) properties schema\.$/.exec(fault);
  const place =
    outer === null ? /^(#.*?): False boolean schema\.$/.exec(fault)?.[1] : `${outer[1]}/${outer[2]}`;
  if (place === undefined) return false;
  return faults.some(
    (other) => !other.endsWith(UNKNOWN) && (other.startsWith(`${place}: `) || other.startsWith(`${place}/`)),
  );
}

function split(
  value: unknown,
  takesHandle: boolean,
): { readonly tool: Record<string, unknown>; readonly handle: unknown } {
  const args = isObject(value) ? value : {};
  if (!takesHandle) return { tool: { ...args }, handle: undefined };
  const { [HANDLE]: handle, ...tool } = args;
  return { tool, handle };
}
