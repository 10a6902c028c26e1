/** What was read as JSON, or why it could not be read, with the line of the error. */
export type JsonReading =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly reason: string; readonly line: number };

/**
 * Parses JSON with or without a byte order mark. A key that appears twice in an object is an error: nobody can tell
 * which one was meant, and `JSON.parse` silently uses the last.
 */
export function readJson(text: string): JsonReading {
  const plain = text.replace(/^\uFEFF/, '');
  let value: unknown;
  try {
    value = JSON.parse(plain);
  } catch (error) {
    const at = /position (\d+)/.exec(String(error))?.[1];
    return refuse(plain, 'it is not JSON', at === undefined ? plain.length : Number(at));
  }
  const repeated = findRepeatedKey(plain);
  if (repeated === undefined) return { ok: true, value };
  return refuse(plain, `it has the key ${repeated.key.slice(0, MAX_KEY_SHOWN)} twice`, repeated.at);
}

const MAX_KEY_SHOWN = 60;
/** A string, with the colon after it if it is a key; or a bracket. */
const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|[{}[\]]/g;

/** Expects valid JSON. Keys are compared after decoding: `"\u0061"` is `"a"`. */
function findRepeatedKey(text: string): { readonly key: string; readonly at: number } | undefined {
  const open: (Set<string> | undefined)[] = [];
  for (const match of text.matchAll(TOKEN)) {
    const [token, string, colon] = match;
    if (token === '{') open.push(new Set());
    else if (token === '[') open.push(undefined);
    else if (string === undefined) open.pop();
    else if (colon !== undefined) {
      const key: unknown = JSON.parse(string);
      const keys = open.at(-1);
      if (typeof key !== 'string' || keys === undefined) continue;
      if (keys.has(key)) return { key: string, at: match.index };
      keys.add(key);
    }
  }
  return undefined;
}

function refuse(text: string, reason: string, at: number): JsonReading {
  return { ok: false, reason, line: text.slice(0, at).split('\n').length };
}
