import { isObject } from '@rootward/core/platform';
import { isMap, isScalar, parseDocument, type Document, type Pair, type YAMLMap } from 'yaml';
import { FormatError, lineBreakOf, sameData, valueAt, withInsertion } from './edit.js';
import type { Edited, Format, Insertion, KeyPath } from './edit.js';

/** YAML. What is put in is written as YAML lines with JSON for texts and lists, which YAML reads as they are. */
export const YAML_FORMAT: Format = { parse, put, take };

const INDENT = '  ';

function read(text: string): Document {
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error !== undefined) {
    throw new FormatError(`it is not valid YAML (line ${error.linePos?.[0].line ?? 1}: ${error.code})`);
  }
  return document;
}

function parse(text: string): unknown {
  return (read(text).toJS() as unknown) ?? undefined;
}

function put(text: string, insertion: Insertion): Edited {
  const before = parse(text);
  if (before !== undefined && !isObject(before)) throw new FormatError('it holds no mapping');
  const after = withInsertion(before, insertion);
  if (sameData(before, after)) return { text, created: [] };
  const { path, value } = insertion;
  const cleared = valueAt(before, path) === undefined ? text : take(text, insertion, []);
  const newline = lineBreakOf(text);
  const [top, name] = path;
  if (name === undefined || path.length > 2)
    throw new FormatError('its layout is not one this command can edit');
  const holder = pairOf(read(cleared).contents, top);
  const written = (depth: string): string => writeYaml({ [name]: value }, depth).replaceAll('\n', newline);
  if (holder === undefined) {
    const separator = cleared === '' || cleared.endsWith('\n') ? '' : newline;
    return {
      text: checked(`${cleared}${separator}${top}:${newline}${written(INDENT)}`, after),
      created: [[top]],
    };
  }
  return { text: checked(insert(cleared, holder, { name, value, written }), after), created: [] };
}

function insert(
  text: string,
  holder: Pair,
  {
    name,
    value,
    written,
  }: { readonly name: string; readonly value: unknown; readonly written: (depth: string) => string },
): string {
  const map = holder.value;
  if (isMap(map) && map.flow === true) {
    const open = text.indexOf('{', map.range?.[0] ?? 0) + 1;
    const rest = map.items.length > 0 ? ', ' : '';
    return `${text.slice(0, open)}${JSON.stringify(name)}: ${JSON.stringify(value)}${rest}${text.slice(open)}`;
  }
  const newline = lineBreakOf(text);
  if (isMap(map) && map.items.length > 0) {
    const first = keyOffset(map, 0);
    const depth = text.slice(text.lastIndexOf('\n', first - 1) + 1, first);
    const end = endOf(text, map);
    const separator = text.slice(0, end).endsWith('\n') ? '' : newline;
    return `${text.slice(0, end)}${separator}${written(depth)}${text.slice(end)}`;
  }
  if (map !== null && !(isScalar(map) && map.value === null))
    throw new FormatError(`${JSON.stringify(String(holder.key))} is not a mapping`);
  // `extensions:` with nothing after it.
  const key = holder.key;
  const lineEnd = text.indexOf('\n', isScalar(key) ? (key.range?.[1] ?? 0) : 0);
  const at = lineEnd === -1 ? text.length : lineEnd + 1;
  return `${text.slice(0, at)}${lineEnd === -1 ? newline : ''}${written(INDENT)}${text.slice(at)}`;
}

function take(text: string, { path }: Insertion, created: readonly KeyPath[]): string {
  const before = parse(text);
  if (valueAt(before, path) === undefined) return text;
  const [top, name] = path;
  const map = pairOf(read(text).contents, top)?.value;
  if (!isMap(map) || map.flow === true || name === undefined) {
    throw new FormatError(`${JSON.stringify(path.join('.'))} stands inside braces; take it out by hand`);
  }
  const index = map.items.findIndex(({ key }) => isScalar(key) && key.value === name);
  const start = text.lastIndexOf('\n', keyOffset(map, index) - 1) + 1;
  const next = index + 1 < map.items.length ? keyOffset(map, index + 1) : undefined;
  const end = next === undefined ? endOf(text, map) : text.lastIndexOf('\n', next - 1) + 1;
  const cut = text.slice(0, start) + text.slice(end);
  if (!(map.items.length === 1 && created.length > 0)) return cut;
  const line = new RegExp(`^${top}:[ \\t]*\\r?\\n?`, 'm');
  return cut.replace(line, '');
}

function pairOf(contents: unknown, key: string): Pair | undefined {
  if (!isMap(contents)) return undefined;
  return contents.items.find((pair) => isScalar(pair.key) && pair.key.value === key);
}

function keyOffset(map: YAMLMap, index: number): number {
  const key = map.items[index]?.key;
  return isScalar(key) ? (key.range?.[0] ?? 0) : 0;
}

/** The end of the last line of a block, without the comments and empty lines after it. */
function endOf(text: string, map: YAMLMap): number {
  const end = map.range?.[1] ?? text.length;
  const content = text.slice(0, end).trimEnd().length;
  const line = text.indexOf('\n', content);
  return line === -1 ? text.length : line + 1;
}

/** Texts and lists as JSON, which YAML reads as they are. */
export function writeYaml(value: Readonly<Record<string, unknown>>, depth = ''): string {
  return Object.entries(value)
    .map(([key, held]) => {
      if (isObject(held)) return `${depth}${key}:\n${writeYaml(held, depth + INDENT)}`;
      if (Array.isArray(held) && held.every(isObject))
        return `${depth}${key}:\n${held.map(item(depth + INDENT)).join('')}`;
      return `${depth}${key}: ${Array.isArray(held) ? `[${held.map((each) => JSON.stringify(each)).join(', ')}]` : JSON.stringify(held)}\n`;
    })
    .join('');
}

function item(depth: string): (value: Readonly<Record<string, unknown>>) => string {
  return (value) => writeYaml(value, depth + INDENT).replace(depth + INDENT, `${depth}- `);
}

function checked(text: string, expected: unknown): string {
  let found: unknown;
  try {
    found = parse(text);
  } catch {
    found = undefined;
  }
  if (!sameData(found, expected)) throw new FormatError('its layout is not one this command can edit');
  return text;
}
