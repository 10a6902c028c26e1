import { isObject } from '@rootward/core/platform';

/** One field that is wrong, and why. */
export interface MetadataFault {
  readonly field: string;
  readonly message: string;
}

const TYPES: ReadonlySet<unknown> = new Set([
  'array',
  'boolean',
  'integer',
  'null',
  'number',
  'object',
  'string',
]);
/** Keywords that hold one schema. */
export const SINGLE: readonly string[] = [
  'items',
  'additionalItems',
  'unevaluatedItems',
  'contains',
  'additionalProperties',
  'unevaluatedProperties',
  'propertyNames',
  'not',
  'if',
  'then',
  'else',
];
/** Keywords that hold a list of schemas. */
export const LISTS: readonly string[] = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
/** Keywords that hold schemas by name. */
export const MAPS: readonly string[] = [
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
];

/**
 * The mistakes that would make a schema let everything or nothing through, or break with every call. Does NOT check it against
 * the meta-schema: unknown keywords are ignored, as the standard says.
 */
export function checkSchema(schema: unknown, field: string): readonly MetadataFault[] {
  if (schema === undefined || typeof schema === 'boolean') return [];
  if (!isObject(schema)) return [{ field, message: 'it must be an object or a boolean' }];
  const { type, required, pattern, enum: choices, patternProperties, $dynamicRef } = schema;
  const faults: MetadataFault[] = [];
  if ($dynamicRef !== undefined) {
    // The validator ignores it, and with it everything that it requires.
    faults.push({ field: `${field}.$dynamicRef`, message: 'it is not supported; use $ref' });
  }
  for (const each of type === undefined ? [] : [type].flat()) {
    if (!TYPES.has(each)) {
      faults.push({ field: `${field}.type`, message: `${JSON.stringify(each)} is not a type` });
    }
  }
  if (required !== undefined && !isNames(required)) {
    faults.push({ field: `${field}.required`, message: 'it must be a list of names' });
  }
  if (pattern !== undefined && !isPattern(pattern)) {
    faults.push({
      field: `${field}.pattern`,
      message: `${JSON.stringify(pattern)} is not a regular expression`,
    });
  }
  if (choices !== undefined && !Array.isArray(choices)) {
    faults.push({ field: `${field}.enum`, message: 'it must be a list' });
  }
  for (const name of isObject(patternProperties) ? Object.keys(patternProperties) : []) {
    if (isPattern(name)) continue;
    const message = `${JSON.stringify(name)} is not a regular expression`;
    faults.push({ field: `${field}.patternProperties`, message });
  }
  for (const keyword of SINGLE) {
    const held = schema[keyword];
    // Older drafts have a list of schemas in `items`.
    if (Array.isArray(held)) faults.push(...checkAll(held.entries(), `${field}.${keyword}`));
    else faults.push(...checkSchema(held, `${field}.${keyword}`));
  }
  for (const keyword of LISTS) {
    const list = schema[keyword];
    if (list === undefined) continue;
    if (Array.isArray(list)) faults.push(...checkAll(list.entries(), `${field}.${keyword}`));
    else faults.push({ field: `${field}.${keyword}`, message: 'it must be a list' });
  }
  for (const keyword of MAPS) {
    const map = schema[keyword];
    if (map === undefined) continue;
    if (isObject(map)) faults.push(...checkAll(Object.entries(map), `${field}.${keyword}`));
    else faults.push({ field: `${field}.${keyword}`, message: 'it must be an object' });
  }
  return faults;
}

function checkAll(
  schemas: Iterable<readonly [string | number, unknown]>,
  field: string,
): readonly MetadataFault[] {
  return [...schemas].flatMap(([key, schema]) => checkSchema(schema, `${field}.${key}`));
}

function isNames(value: unknown): boolean {
  return Array.isArray(value) && value.every((name) => typeof name === 'string');
}

function isPattern(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  try {
    return new RegExp(value, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}
