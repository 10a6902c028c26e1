import { isObject, type JsonObject } from '@rootward/core/platform';
import { RootwardMcpError } from '../error.js';

/** Raised when what is stored changes its meaning. Values of another version are refused, never guessed at. */
const VERSION = 1;

export function storedText(fields: JsonObject): string {
  return JSON.stringify({ ...fields, v: VERSION });
}

/** Throws `store-invalid` for what was not written by this version. */
export function storedFields(text: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalid('it is not JSON');
  }
  if (!isObject(value)) throw invalid('it is not an object');
  const { v: version, ...fields } = value;
  if (version !== VERSION) throw invalid(`it has version ${JSON.stringify(version)} instead of ${VERSION}`);
  return fields;
}

function invalid(problem: string): RootwardMcpError {
  return new RootwardMcpError('store-invalid', `Cannot use a value of the session store: ${problem}`);
}
