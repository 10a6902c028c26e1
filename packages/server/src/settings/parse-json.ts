/** A value, or why the text cannot be used. */
export type ParsedJson = { readonly value: unknown } | { readonly problem: string };

/**
 * Parses a file that people write. A key that is there twice is a problem: `JSON.parse` would take the last one, and
 * what the first one denied would be lost without a word.
 */
export function parseJsonFile(text: string): ParsedJson {
  const json = text.replace(/^\uFEFF/, '');
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    return { problem: `it is not JSON (${describeJsonFault(text, error)})` };
  }
  const twice = findDuplicateKey(json);
  return twice === undefined ? { value } : { problem: twice };
}

const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\]:]/g;

/** In words; undefined where every key of every object is there once. Expects valid JSON. */
function findDuplicateKey(json: string): string | undefined {
  const objects: Set<string>[] = [];
  let last = '';
  for (const { 0: token, index } of json.matchAll(TOKENS)) {
    if (token === '{' || token === '[') objects.push(new Set());
    else if (token === '}' || token === ']') objects.pop();
    else if (token === ':') {
      // By its meaning: "deny" can be written with escapes, too.
      const key = String(JSON.parse(last));
      const keys = objects.at(-1);
      if (keys?.has(key) === true) {
        const line = json.slice(0, index).split('\n').length;
        return `${JSON.stringify(key)} is there twice, the second time at line ${line}`;
      }
      keys?.add(key);
    }
    last = token;
  }
  return undefined;
}

/** Why a text is no JSON, with the line and column where it stops being so; without the text itself, which may hold secrets. */
export function describeJsonFault(text: string, error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const what = message.replace(/ in JSON at position \d+.*$/s, '').replace(/, (?:\.{3})?".*$/s, '');
  if (isCutShort(message)) return what;
  const before = text.slice(0, findFault(text)).split('\n');
  return `${what} at line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}

/** The engine does not always say where: the fault follows the longest start that only needs more to be JSON. */
function findFault(text: string): number {
  let fine = 0;
  let broken = text.length;
  while (broken - fine > 1) {
    const middle = (fine + broken) >> 1;
    if (couldGoOn(text.slice(0, middle))) fine = middle;
    else broken = middle;
  }
  return fine;
}

function couldGoOn(start: string): boolean {
  try {
    JSON.parse(start);
    return true;
  } catch (error) {
    return error instanceof Error && isCutShort(error.message, start.length);
  }
}

/** The parser complains about the end, or at the end. */
function isCutShort(message: string, length?: number): boolean {
  if (/Unexpected end|Unterminated string/.test(message)) return true;
  return length !== undefined && / at position (\d+)/.exec(message)?.[1] === String(length);
}
