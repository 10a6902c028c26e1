import { readFile, stat } from 'node:fs/promises';
import { isObject, type JsonObject } from '@rootward/core/platform';
import { parseJsonFile } from '../../settings/parse-json.js';

/** Notes what cannot be used, and why. */
export type Report = (file: string, field: string | undefined, message: string) => undefined;

/** A JSON object; anything else is reported. */
export async function readObject(file: string, report: Report): Promise<JsonObject | undefined> {
  try {
    // A link in a clone may lead to a device, whose reading never ends.
    if (!(await stat(file)).isFile()) return report(file, undefined, 'it is not a file');
    const parsed = parseJsonFile(await readFile(file, 'utf8'));
    if ('problem' in parsed) return report(file, undefined, parsed.problem);
    return isObject(parsed.value) ? parsed.value : report(file, undefined, 'it must be an object');
  } catch (error) {
    return report(file, undefined, error instanceof Error ? error.message : String(error));
  }
}

export async function isFile(file: string): Promise<boolean> {
  return stat(file).then(
    (stats) => stats.isFile(),
    () => false,
  );
}
