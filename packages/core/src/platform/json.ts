/** An object as JSON has it, with values still to be checked. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a value is an object that is not an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
