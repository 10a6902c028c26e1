import { isObject } from '@rootward/core/platform';
import { findNodeAtLocation, getNodeValue, parseTree, printParseErrorCode } from 'jsonc-parser';
import type { Node, ParseError } from 'jsonc-parser';
import { FormatError, lineBreakOf, sameData, valueAt, withInsertion } from './edit.js';
import type { Edited, Format, Insertion, KeyPath } from './edit.js';

/** JSON, with comments and trailing commas where a client takes them. */
export const JSON_FORMAT: Format = { parse, put, take };

const DEFAULT_INDENT = '  ';
const BYTE_ORDER_MARK = '\uFEFF';

const COMMENTS_OF_LINE = /^(?:[ \t]*(?:\/\*[^]*?\*\/|\/\/[^\r\n]*))*/;

interface Splice {
  readonly offset: number;
  readonly length: number;
  readonly text: string;
}

function parse(text: string): unknown {
  const tree = read(text);
  return tree === undefined ? undefined : getNodeValue(tree);
}

function read(text: string): Node | undefined {
  if (text.replace(BYTE_ORDER_MARK, '').trim() === '') return undefined;
  const errors: ParseError[] = [];
  // A byte order mark is blanked out, so that offsets stay those of the file.
  const tree = parseTree(text.replace(BYTE_ORDER_MARK, ' '), errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error !== undefined || tree === undefined) {
    const line = text.slice(0, error?.offset ?? 0).split('\n').length;
    throw new FormatError(
      `it is not valid JSON (line ${line}${error === undefined ? '' : `: ${printParseErrorCode(error.error)}`})`,
    );
  }
  if (tree.type !== 'object') throw new FormatError('it holds no JSON object');
  return tree;
}

function put(text: string, insertion: Insertion): Edited {
  const tree = read(text);
  const before = tree === undefined ? undefined : (getNodeValue(tree) as unknown);
  const after = withInsertion(before, insertion);
  if (tree === undefined) {
    const start = text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : '';
    const whole = `${start}${JSON.stringify(after, undefined, DEFAULT_INDENT)}\n`;
    return { text: whole, created: containersOf(insertion, 0) };
  }
  if (sameData(before, after)) return { text, created: [] };
  const { splices, created } = findPlace(text, tree, insertion);
  return { text: checked(splice(text, splices), after), created };
}

/** The deepest member of the path that is there, and what to write into it. */
function findPlace(
  text: string,
  tree: Node,
  { path, value, isItem }: Insertion,
): { readonly splices: readonly Splice[]; readonly created: readonly KeyPath[] } {
  let node = tree;
  for (const [index, key] of path.entries()) {
    if (node.type !== 'object') throw notA('an object', path.slice(0, index));
    const next = findNodeAtLocation(node, [key]);
    if (next === undefined) {
      const inner = isItem === undefined ? value : [value];
      const whole = path.slice(index + 1).reduceRight<unknown>((held, name) => ({ [name]: held }), inner);
      return {
        splices: insertChild(text, node, (indent) => `${JSON.stringify(key)}: ${print(text, whole, indent)}`),
        created: containersOf({ path, value, isItem }, index),
      };
    }
    node = next;
  }
  if (isItem === undefined) return { splices: [replace(text, node, value)], created: [] };
  if (node.type !== 'array') throw notA('a list', path);
  const old = node.children?.find((child) => isItem(getNodeValue(child)));
  if (old !== undefined) return { splices: [replace(text, old, value)], created: [] };
  return { splices: insertChild(text, node, (indent) => print(text, value, indent)), created: [] };
}

/** The members that have to be made where the first `depth` of the path are there. */
function containersOf({ path, isItem }: Insertion, depth: number): readonly KeyPath[] {
  const [top, ...rest] = path;
  const all = path.map((_, length): KeyPath => [top, ...rest.slice(0, length)]).slice(depth);
  return isItem === undefined ? all.slice(0, -1) : all;
}

function notA(what: string, path: readonly string[]): FormatError {
  return new FormatError(`${JSON.stringify(path.join('.'))} is not ${what}`);
}

function replace(text: string, { offset, length }: Node, value: unknown): Splice {
  return { offset, length, text: print(text, value, indentAt(text, offset)) };
}

/** Puts a child after the last one. What follows that on its line, such as a comment, stays with it. */
function insertChild(text: string, parent: Node, write: (indent: string) => string): readonly Splice[] {
  const newline = lineBreakOf(text);
  const last = parent.children?.at(-1);
  const outer = indentAt(text, parent.offset);
  if (last === undefined) {
    const indent = outer + unitOf(text);
    const inside = text.slice(parent.offset + 1, parent.offset + parent.length - 1);
    const closing = inside.includes('\n') ? '' : `${newline}${outer}`;
    const offset = closing === '' ? parent.offset + 1 + inside.trimEnd().length : parent.offset + 1;
    return [{ offset, length: 0, text: `${newline}${indent}${write(indent)}${closing}` }];
  }
  const end = last.offset + last.length;
  const isOneLine = !text.slice(parent.offset, parent.offset + parent.length).includes('\n');
  const indent = isOneLine ? outer : indentAt(text, last.offset);
  const lead = isOneLine ? ' ' : `${newline}${indent}`;
  const { comma, tail } = lineEnd(text, end);
  if (comma !== undefined) return [{ offset: tail, length: 0, text: `${lead}${write(indent)},` }];
  return [
    { offset: end, length: 0, text: ',' },
    { offset: tail, length: 0, text: lead + write(indent) },
  ];
}

/** The comma after a child, if there is one, and where the rest of its line ends: comments there belong to it. */
function lineEnd(text: string, end: number): { readonly comma: number | undefined; readonly tail: number } {
  const rest = text.slice(end);
  const [line = ''] = COMMENTS_OF_LINE.exec(rest) ?? [];
  const behind = /^(?:\s|\/\*[^]*?\*\/|\/\/[^\r\n]*)*,/.exec(rest)?.[0];
  if (behind === undefined) return { comma: undefined, tail: end + line.length };
  const comma = end + behind.length - 1;
  const [same = ''] = COMMENTS_OF_LINE.exec(text.slice(comma + 1)) ?? [];
  return { comma, tail: comma + 1 + same.length };
}

function take(text: string, { path, isItem }: Insertion, created: readonly KeyPath[]): string {
  const tree = read(text);
  const node = tree === undefined ? undefined : findNodeAtLocation(tree, [...path]);
  if (tree === undefined || node === undefined) return text;
  let taken = text;
  if (isItem === undefined) {
    taken = splice(text, removeChild(text, node.parent ?? node));
  } else {
    const item = node.children?.find((child) => isItem(getNodeValue(child)));
    if (item === undefined) return text;
    taken = splice(text, removeChild(text, item));
  }
  for (const container of created.toReversed()) {
    const value = valueAt(parse(taken), container);
    const isEmpty = Array.isArray(value)
      ? value.length === 0
      : isObject(value) && Object.keys(value).length === 0;
    if (isEmpty) taken = take(taken, { path: container, value: undefined }, []);
  }
  return taken;
}

/** Takes out a property or an item with its comma and the line it began. */
function removeChild(text: string, child: Node): readonly Splice[] {
  const siblings = child.parent?.children ?? [];
  const index = siblings.indexOf(child);
  const previous = siblings[index - 1];
  const end = child.offset + child.length;
  const start = child.offset - (/\s*$/.exec(text.slice(0, child.offset))?.[0].length ?? 0);
  const { comma } = lineEnd(text, end);
  if (comma !== undefined) {
    return [
      { offset: start, length: end - start, text: '' },
      { offset: comma, length: 1, text: '' },
    ];
  }
  const own = { offset: start, length: end - start, text: '' };
  const before = previous === undefined ? undefined : lineEnd(text, previous.offset + previous.length).comma;
  return before === undefined ? [own] : [{ offset: before, length: 1, text: '' }, own];
}

function splice(text: string, splices: readonly Splice[]): string {
  // From the end, so that offsets stay right; of two at the same place, the second is put in first.
  return splices
    .toReversed()
    .toSorted((a, b) => b.offset - a.offset)
    .reduce(
      (result, { offset, length, text: added }) =>
        result.slice(0, offset) + added + result.slice(offset + length),
      text,
    );
}

/** Checks that the new text parses to what it should be before it is written. */
function checked(text: string, expected: unknown): string {
  if (!sameData(parse(text), expected)) throw new FormatError('its layout is not one this command can edit');
  return text;
}

function print(text: string, value: unknown, indent: string): string {
  return JSON.stringify(value, undefined, unitOf(text)).replaceAll('\n', `${lineBreakOf(text)}${indent}`);
}

/** The blanks that begin the line. */
function indentAt(text: string, offset: number): string {
  const line = text.lastIndexOf('\n', offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(line, offset))?.[0] ?? '';
}

/** One step of indentation: that of the first line that has any. */
function unitOf(text: string): string {
  return /^([ \t]+)\S/m.exec(text)?.[1] ?? DEFAULT_INDENT;
}
