import { isObject, type JsonObject } from '@rootward/core/platform';
import { LISTS, MAPS, SINGLE, type MetadataFault } from './check-schema.js';

/** The address of the schema itself, which may have none of its own. */
const HERE = 'schema:/here';

interface Reference {
  readonly field: string;
  readonly schema: JsonObject;
  /** The address it is relative to. */
  readonly base: string;
}

/** What a schema holds under an address. */
interface Addresses {
  readonly references: Reference[];
  /** Schemas with an address of their own, and those that an anchor names. */
  readonly named: Map<string, JsonObject>;
  readonly faults: MetadataFault[];
}

/**
 * References that lead nowhere, or back to themselves: they would break each call that comes across them. Nothing is
 * fetched, so another document is nowhere, too.
 */
export function checkReferences(schema: JsonObject, field: string): readonly MetadataFault[] {
  const addresses: Addresses = { references: [], named: new Map([[HERE, schema]]), faults: [] };
  collect(schema, field, HERE, addresses);
  const bases = new Map(addresses.references.map((reference) => [reference.schema, reference.base]));
  const faults = addresses.references.flatMap((reference) => checkReference(reference, addresses, bases));
  return [...addresses.faults, ...faults];
}

function collect(value: unknown, field: string, outer: string, addresses: Addresses): void {
  if (!isObject(value)) return;
  const base = addressOf(value, field, outer, addresses);
  const { $anchor: anchor, $ref: reference } = value;
  if (typeof anchor === 'string') addresses.named.set(new URL(`#${anchor}`, base).href, value);
  if (reference !== undefined) addresses.references.push({ field: `${field}.$ref`, schema: value, base });
  for (const keyword of [...SINGLE, ...LISTS, ...MAPS]) {
    const held = value[keyword];
    const isGroup = Array.isArray(held) || (isObject(held) && MAPS.includes(keyword));
    if (!isGroup) collect(held, `${field}.${keyword}`, base, addresses);
    else
      for (const [key, each] of Object.entries(held))
        collect(each, `${field}.${keyword}.${key}`, base, addresses);
  }
}

/** Older drafts have `id`. */
function addressOf(schema: JsonObject, field: string, outer: string, { named, faults }: Addresses): string {
  const id = schema['$id'] ?? schema['id'];
  if (typeof id !== 'string' || id === '') return outer;
  const url = resolveUrl(id, outer);
  if (url === undefined) {
    faults.push({ field: `${field}.$id`, message: `${JSON.stringify(id)} is not an address` });
    return outer;
  }
  if (url.hash.length <= 1) url.hash = '';
  if (named.has(url.href)) {
    faults.push({ field: `${field}.$id`, message: `${JSON.stringify(id)} is used twice` });
  }
  named.set(url.href, schema);
  return url.hash === '' ? url.href : outer;
}

function checkReference(
  { field, schema, base }: Reference,
  { named }: Addresses,
  bases: ReadonlyMap<unknown, string>,
): readonly MetadataFault[] {
  const written = JSON.stringify(schema['$ref']);
  const passed = new Set<unknown>([schema]);
  let { $ref: reference } = schema;
  for (let from = base; ;) {
    const target = typeof reference === 'string' ? find(reference, from, named) : undefined;
    if (target === undefined) return [{ field, message: `${written} is not found in this schema` }];
    if (passed.has(target)) return [{ field, message: `${written} refers to itself` }];
    if (!isObject(target) || target['$ref'] === undefined) return [];
    passed.add(target);
    reference = target['$ref'];
    from = bases.get(target) ?? from;
  }
}

/** The schema that a reference leads to. */
function find(reference: string, base: string, named: ReadonlyMap<string, JsonObject>): unknown {
  // An empty one means the schema itself; the validator does not know that.
  const url = reference === '' ? undefined : resolveUrl(reference, base);
  if (url === undefined) return undefined;
  const { hash } = url;
  const known = named.get(url.href);
  if (known !== undefined) return known;
  url.hash = '';
  let found: unknown = named.get(url.href);
  if (hash === '') return found;
  if (!hash.startsWith('#/')) return undefined;
  for (const part of hash.slice(2).split('/')) {
    const name = decode(part);
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined;
    found = Reflect.get(found, name);
  }
  return isObject(found) || typeof found === 'boolean' ? found : undefined;
}

/** One step of a JSON pointer in an address. */
function decode(part: string): string {
  let text = part;
  try {
    text = decodeURIComponent(part);
  } catch {
    // A percent sign that starts no escape.
  }
  return text.replaceAll('~1', '/').replaceAll('~0', '~');
}

function resolveUrl(reference: string, base: string): URL | undefined {
  try {
    return new URL(reference, base);
  } catch {
    return undefined;
  }
}
