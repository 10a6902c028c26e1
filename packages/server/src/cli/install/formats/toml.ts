import { isObject } from '@rootward/core/platform';
import { parse as parseToml, stringify } from 'smol-toml';
import { FormatError, lineBreakOf, sameData, valueAt, withInsertion } from './edit.js';
import type { Edited, Format, Insertion } from './edit.js';

/** TOML. A member is a table of its own at the end of the file. */
export const TOML_FORMAT: Format = { parse, put, take };

/** `[a.b]`, `[[a]]`, with a comment after it or not. */
const HEADER = /^\s*\[\[?([^\]]*)\]\]?\s*(?:#.*)?$/;

function parse(text: string): unknown {
  try {
    return parseToml(text);
  } catch (error) {
    const [reason = ''] = String(error instanceof Error ? error.message : error).split('\n');
    throw new FormatError(`it is not valid TOML (${reason.replace(/^Invalid TOML document: /, '')})`);
  }
}

function put(text: string, insertion: Insertion): Edited {
  const before = parse(text);
  const after = withInsertion(before, insertion);
  if (sameData(before, after)) return { text, created: [] };
  const newline = lineBreakOf(text);
  const cleared = valueAt(before, insertion.path) === undefined ? text : take(text, insertion);
  const block = `[${header(insertion.path)}]\n${stringify(insertion.value)}`
    .trimEnd()
    .replaceAll('\n', newline);
  const separator = cleared === '' ? '' : cleared.endsWith('\n') ? newline : newline + newline;
  const result = `${cleared}${separator}${block}${newline}`;
  return { text: checked(result, after), created: [] };
}

/** Takes out the table and the tables inside it, with the empty line before it. */
function take(text: string, { path }: Insertion): string {
  const before = parse(text);
  if (valueAt(before, path) === undefined) return text;
  const lines = text.split(/(?<=\n)/);
  const names = [header(path), path.join('.')];
  const isOurs = (line: string): boolean => {
    const name = HEADER.exec(line.trimEnd())?.[1]?.trim();
    return name !== undefined && names.some((own) => name === own || name.startsWith(`${own}.`));
  };
  const kept: string[] = [];
  let own: string[] | undefined;
  for (const line of [...lines, undefined]) {
    if (line === undefined || HEADER.test(line.trimEnd())) {
      // Comments and empty lines at its end belong to what follows.
      if (own !== undefined && (line === undefined || !isOurs(line))) kept.push(...trailing(own));
      const starts = line !== undefined && isOurs(line);
      if (starts && own === undefined && kept.at(-1)?.trim() === '') kept.pop();
      own = starts ? (own ?? []) : undefined;
    }
    if (line !== undefined) (own ?? kept).push(line);
  }
  return checked(kept.join(''), without(before, path));
}

function trailing(lines: readonly string[]): readonly string[] {
  return lines.slice(lines.findLastIndex((line) => !/^\s*(?:#.*)?$/.test(line.trimEnd())) + 1);
}

function without(document: unknown, [key = '', ...rest]: readonly string[]): unknown {
  if (!isObject(document)) return document;
  const { [key]: held, ...others } = document;
  if (rest.length === 0) return others;
  const left = without(held, rest);
  // A table that contained only ours has no header of its own.
  return isObject(left) && Object.keys(left).length === 0 ? others : { ...document, [key]: left };
}

/** Only tables are put in: an entry is never a value inside another table's braces. */
function checked(text: string, expected: unknown): string {
  let read;
  try {
    read = parse(text);
  } catch {
    read = undefined;
  }
  if (!sameData(read, expected)) {
    throw new FormatError('its servers are not written as tables of their own');
  }
  return text;
}

function header(path: readonly string[]): string {
  return path.map((key) => (/^[\w-]+$/.test(key) ? key : JSON.stringify(key))).join('.');
}
