import { isObject, type JsonObject } from '@rootward/core/platform';
import { parseJson } from '../json.js';

/** Each search for a closing bracket may go through the whole text; a tool that prints nonsense must not hold us up. */
const MAX_PASSES = 8;

/** The JSON objects that start a line of their own somewhere in a text, in order. Other text is passed over. */
export function findDocuments(text: string): readonly JsonObject[] {
  const documents: JsonObject[] = [];
  let position = 0;
  let left = MAX_PASSES * text.length;
  while (position < text.length) {
    if (text[position] === '{' && left > 0) {
      const end = endOfObject(text, position);
      const value = end === undefined ? undefined : parseJson(text.slice(position, end));
      left -= (end ?? text.length) - position;
      if (end !== undefined && isObject(value)) {
        documents.push(value);
        position = end;
        if (text[position] === '{') continue;
      }
    }
    const newline = text.indexOf('\n', position);
    if (newline === -1) break;
    position = newline + 1;
  }
  return documents;
}

/** Just after the bracket that closes the one at `start`; undefined when there is none. */
function endOfObject(text: string, start: number): number | undefined {
  let depth = 0;
  let quoted = false;
  for (let index = start; index < text.length; index++) {
    const letter = text[index];
    if (quoted) {
      if (letter === '\\') index += 1;
      else if (letter === '"') quoted = false;
    } else if (letter === '"') quoted = true;
    else if (letter === '{') depth += 1;
    else if (letter === '}') {
      depth -= 1;
      if (depth === 0) return index + 1;
    }
  }
  return undefined;
}
