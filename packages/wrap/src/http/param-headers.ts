import type { IncomingHttpHeaders } from 'node:http';
import { isObject } from '@rootward/core/platform';
import type { RawMessage } from '../wire/raw-message.js';
import { decoded, mismatch, textOf, type HeaderFault } from './modern-headers.js';

/** An argument that travels as a header as well. */
interface ParamHeader {
  /** In lower case. */
  readonly header: string;
  /** Where the argument is, from the outside in. */
  readonly path: readonly string[];
  readonly isNumber: boolean;
}

const ANNOTATION = 'x-mcp-header';
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const DECIMAL = /^-?\d+(?:\.\d+)?$/;

/** Which arguments of which tools travel as headers as well, from what the server lists. */
export class ParamHeaders {
  readonly #tools = new Map<string, readonly ParamHeader[]>();

  constructor(tools: readonly unknown[]) {
    for (const tool of tools) {
      if (!isObject(tool) || typeof tool['name'] !== 'string') continue;
      const found = [...headersOf(tool['inputSchema'], [])];
      if (found.length > 0) this.#tools.set(tool['name'], found);
    }
  }

  /**
   * What stands between client and server may have looked at the headers only, so they have to say what the arguments
   * say. Undefined where they do. A header without an argument does not matter.
   */
  faultOf(headers: IncomingHttpHeaders, call: RawMessage): HeaderFault | undefined {
    const name: unknown = call.value('params', 'name');
    const declared = typeof name === 'string' ? this.#tools.get(name) : undefined;
    if (declared === undefined) return undefined;
    const given: unknown = call.value('params', 'arguments');
    for (const param of declared) {
      const fault = faultOf(param, headers, valueAt(given, param.path));
      if (fault !== undefined) return fault;
    }
    return undefined;
  }
}

function faultOf(
  { header, path, isNumber }: ParamHeader,
  headers: IncomingHttpHeaders,
  value: unknown,
): HeaderFault | undefined {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return undefined;
  const argument = path.join('.');
  const given = textOf(headers, header);
  if (given === undefined) return mismatch(`the body has an argument ${argument}, and ${header} is missing`);
  const text = decoded(given);
  if (text === undefined) return mismatch(`${header} is not valid Base64`);
  const isSame =
    isNumber && typeof value === 'number' && DECIMAL.test(text)
      ? Number(text) === value
      : text === String(value);
  return isSame
    ? undefined
    : mismatch(
        `the argument ${argument} is ${JSON.stringify(value)}, and ${header} says ${JSON.stringify(text)}`,
      );
}

/** Only what is reached through `properties` alone can be annotated. */
function* headersOf(schema: unknown, path: readonly string[]): Generator<ParamHeader> {
  if (!isObject(schema)) return;
  const { [ANNOTATION]: name, type, properties } = schema;
  if (path.length > 0 && typeof name === 'string' && TOKEN.test(name))
    yield {
      header: `mcp-param-${name.toLowerCase()}`,
      path,
      isNumber: type === 'integer' || type === 'number',
    };
  if (!isObject(properties)) return;
  for (const [key, child] of Object.entries(properties)) yield* headersOf(child, [...path, key]);
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), value);
}
