import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import { isObject } from '@rootward/core/platform';
import type { JsonObject } from '@rootward/core/platform';

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
        // One that is no handle must not make the call fall back on other roots.
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
const TELLS_NOTHING = ['does not match schema.', 'A subschema had errors.'];

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
  return (telling.length === 0 ? faults : telling).map(inOurWords).join('; ');
}

/** The validator names places as JSON pointers and calls what is there an instance; callers know arguments. */
function inOurWords(fault: string): string {
  return fault
    .replace(/^#: /, '')
    .replace(/^#\//, '')
    .replace(/Instance does not have required property (".*")\.$/, '$1 is missing')
    .replace(/Instance type "(.*)" is invalid\. Expected "(.*)"\.$/, 'expected $2, received $1')
    .replace(/\.$/, '');
}

function takesKnownForUnknown(fault: string, faults: readonly string[]): boolean {
  const outer = /^(#.*?): Property "(.*)" does not match additional properties schema\.$/.exec(fault);
  const place =
    outer === null ? /^(#.*?): False boolean schema\.$/.exec(fault)?.[1] : `${outer[1]}/${outer[2]}`;
  if (place === undefined) return false;
  return faults.some(
    (other) =>
      !other.endsWith('False boolean schema.') &&
      (other.startsWith(`${place}: `) || other.startsWith(`${place}/`)),
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
