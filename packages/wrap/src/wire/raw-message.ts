import { isUtf8 } from 'node:buffer';
import type { Writable } from 'node:stream';
import { CODE, scanArray, scanObject, type Span } from './scan-json.js';

/** A change of a message: what stands at a span is replaced by `text`. */
export interface Edit extends Span {
  readonly text: string;
}

type Members = ReadonlyMap<string, Span>;

const NO_MEMBERS: Members = new Map();
const STRING_OR_NUMBER = /^["\d-]/;
const VERSION = Buffer.from('"2.0"');

/** Small messages are one write; large ones are not copied for that. */
const MAX_JOINED_BYTES = 64 * 1024;
const NEWLINE = 0x0a;
const LINE_END = Buffer.of(NEWLINE);
/** Members of a message, and of the params of the methods of the protocol, in all revisions. */
const ENVELOPE: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'params', 'result', 'error']);
const PARAMS: ReadonlySet<string> = new Set([
  '_meta',
  'argument',
  'arguments',
  'capabilities',
  'clientInfo',
  'context',
  'cursor',
  'data',
  'elicitationId',
  'includeContext',
  'inputResponses',
  'level',
  'logger',
  'maxTokens',
  'message',
  'messages',
  'metadata',
  'mode',
  'modelPreferences',
  'name',
  'notifications',
  'progress',
  'progressToken',
  'protocolVersion',
  'reason',
  'ref',
  'requestId',
  'requestState',
  'requestedSchema',
  'stopSequences',
  'systemPrompt',
  'task',
  'taskId',
  'temperature',
  'toolChoice',
  'tools',
  'total',
  'uri',
  'url',
]);
const FOLDED: Readonly<Record<'envelope' | 'params', ReadonlySet<string>>> = {
  envelope: new Set([...ENVELOPE].map(fold)),
  params: new Set([...PARAMS].map(fold)),
};

/**
 * One JSON-RPC message as it came: its bytes, and where its parts are. Nothing but what someone looks at is parsed, and
 * nothing but what someone edits is changed, so that numbers, order and unknown members survive.
 */
export class RawMessage {
  readonly bytes: Buffer;
  readonly #members: Members;
  /** As written, quotes included: two ids are the same where their texts are. */
  readonly id: string | undefined;
  /** Undefined for answers. */
  readonly method: string | undefined;
  #params: Members | undefined;

  private constructor(bytes: Buffer, members: Members) {
    this.bytes = bytes;
    this.#members = members;
    this.id = this.#raw(members.get('id'));
    this.method = this.#string(members.get('method'));
  }

  /**
   * Undefined where the line is not a JSON-RPC 2.0 message in valid UTF-8, or where another decoder could read another
   * message from it: the letter case of names must not decide what is checked here and what runs there.
   */
  static read(bytes: Buffer): RawMessage | undefined {
    const members = scanObject(bytes);
    if (members === undefined || !isUtf8(bytes)) return undefined;
    const message = new RawMessage(bytes, members);
    return message.#isMessage() && message.#ambiguous() === undefined ? message : undefined;
  }

  /** The member that makes a message, or one of a batch, mean different things to different decoders. */
  static ambiguousMember(bytes: Buffer): string | undefined {
    for (const { start, end } of scanArray(bytes) ?? [{ start: 0, end: bytes.length }]) {
      const part = bytes.subarray(start, end);
      const members = scanObject(part);
      const name = members && new RawMessage(part, members).#ambiguous();
      if (name !== undefined) return name;
    }
    return undefined;
  }

  static from(value: object): RawMessage {
    const message = RawMessage.read(Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...value })));
    if (message === undefined) throw new TypeError('Cannot make a message: it has neither method nor id');
    return message;
  }

  get kind(): 'request' | 'notification' | 'answer' {
    if (!this.#members.has('method')) return 'answer';
    return this.#members.has('id') ? 'request' : 'notification';
  }

  get isError(): boolean {
    return this.#members.has('error');
  }

  /** Where a member of the message is; then a member of that, and so on. */
  span(...path: readonly [string, ...string[]]): Span | undefined {
    const [first, second, ...rest] = path;
    let span = this.#members.get(first);
    if (second === undefined || span === undefined) return span;
    // Params are looked into several times on the way; the rest is not.
    span = (first === 'params' ? this.#paramsMembers(span) : this.#membersOf(span)).get(second);
    for (const name of rest) {
      if (span === undefined) return undefined;
      span = this.#membersOf(span).get(name);
    }
    return span;
  }

  /** The text of a part as UTF-8. */
  raw(...path: readonly [string, ...string[]]): string | undefined {
    return this.#raw(this.span(...path));
  }

  /** A part, parsed. */
  value(...path: readonly [string, ...string[]]): unknown {
    const text = this.raw(...path);
    return text === undefined ? undefined : JSON.parse(text);
  }

  /** The message with changes made, in pieces that share memory with the original. Edits must not overlap. */
  edited(edits: readonly Edit[]): readonly Buffer[] {
    const pieces: Buffer[] = [];
    let at = 0;
    const sorted = edits.length > 1 ? [...edits].sort((a, b) => a.start - b.start) : edits;
    for (const { start, end, text } of sorted) {
      if (start > at) pieces.push(this.bytes.subarray(at, start));
      if (text !== '') pieces.push(Buffer.from(text));
      at = end;
    }
    if (at < this.bytes.length) pieces.push(this.bytes.subarray(at));
    return pieces;
  }

  /** Replaces the value at a path, or makes it the first member of the object above. Empty where there is no such object. */
  set(path: readonly [string, ...string[]], text: string): readonly Edit[] {
    const span = this.span(...path);
    if (span !== undefined) return [{ start: span.start, end: span.end, text }];
    const name = JSON.stringify(path.at(-1));
    const [first, ...rest] = path.slice(0, -1);
    const above =
      first === undefined
        ? { start: this.bytes.indexOf(CODE.openBrace), end: this.bytes.length }
        : this.span(first, ...rest);
    if (above === undefined || this.bytes[above.start] !== CODE.openBrace) return [];
    const start = above.start + 1;
    const isEmpty = this.#membersOf(above).size === 0;
    return [{ start, end: start, text: `${name}:${text}${isEmpty ? '' : ','}` }];
  }

  /** Takes members out of the object at a path. */
  remove(path: readonly [string, ...string[]], names: readonly string[]): readonly Edit[] {
    const above = this.span(...path);
    if (above === undefined) return [];
    const edits: Edit[] = [];
    let lastKept: number | undefined;
    let removed: Span | undefined;
    for (const [name, { start, end }] of this.#membersOf(above)) {
      const key = this.#startOfKey(start);
      if (names.includes(name)) removed = { start: removed?.start ?? key, end };
      else {
        if (removed !== undefined) edits.push({ start: removed.start, end: key, text: '' });
        removed = undefined;
        lastKept = end;
      }
    }
    if (removed !== undefined) edits.push({ start: lastKept ?? removed.start, end: removed.end, text: '' });
    return edits;
  }

  withId(id: string): readonly Buffer[] {
    // Both sides often count alike.
    if (id === this.id) return [this.bytes];
    return this.edited(this.set(['id'], id));
  }

  #isMessage(): boolean {
    if (!this.#isVersion2(this.#members.get('jsonrpc'))) return false;
    const { id } = this;
    const method = this.#members.get('method');
    if (method !== undefined) {
      return this.method !== undefined && (id === undefined || STRING_OR_NUMBER.test(id));
    }
    return id !== undefined && this.#members.has('result') !== this.#members.has('error');
  }

  #ambiguous(): string | undefined {
    const params = this.#members.get('params');
    return (
      ambiguousName(this.#members.keys(), 'envelope') ??
      (params && ambiguousName(this.#paramsMembers(params).keys(), 'params'))
    );
  }

  #isVersion2(span: Span | undefined): boolean {
    if (span === undefined || span.end - span.start !== VERSION.length) return false;
    const { bytes } = this;
    return VERSION.every((code, index) => bytes[span.start + index] === code);
  }

  /** Of the member whose value starts there. */
  #startOfKey(value: number): number {
    const { bytes } = this;
    let start = bytes.lastIndexOf(CODE.quote, bytes.lastIndexOf(CODE.quote, value - 1) - 1);
    // The name may have quotes in it.
    while (bytes[start - 1] === CODE.backslash) start = bytes.lastIndexOf(CODE.quote, start - 1);
    return start;
  }

  #paramsMembers(span: Span): Members {
    this.#params ??= this.#membersOf(span);
    return this.#params;
  }

  #membersOf({ start, end }: Span): Members {
    return scanObject(this.bytes, start, end) ?? NO_MEMBERS;
  }

  #raw(span: Span | undefined): string | undefined {
    return span && this.bytes.toString('utf8', span.start, span.end);
  }

  #string(span: Span | undefined): string | undefined {
    const text = this.#raw(span);
    if (text === undefined || !text.startsWith('"')) return undefined;
    return text.includes('\\') ? String(JSON.parse(text)) : text.slice(1, -1);
  }
}

/**
 * A member that some decoder takes for another one: its name differs from that of a second member, or of one of the
 * protocol, in letter case only. Go's `encoding/json` reads `Name` and `NAME` as `name`, and the last one wins.
 */
function ambiguousName(names: Iterable<string>, place: 'envelope' | 'params'): string | undefined {
  const exact = place === 'envelope' ? ENVELOPE : PARAMS;
  let seen: Set<string> | undefined;
  for (const name of names) {
    if (exact.has(name)) continue;
    const folded = fold(name);
    if (FOLDED[place].has(folded) || seen?.has(folded) === true) return name;
    (seen ??= new Set()).add(folded);
  }
  return undefined;
}

/** The reason why a message with such a member is refused. */
export function ambiguity(name: string): string {
  return `the member ${JSON.stringify(name)} differs from another one in letter case only; leave it out`;
}

/** Folds letter case as Unicode does for single characters: `ſ` becomes `s`, the Kelvin sign `k`. */
function fold(name: string): string {
  return name.toLowerCase().toUpperCase().toLowerCase();
}

/** Writes one message, given in pieces, and ends its line. */
export function writeMessage(stream: Writable, pieces: readonly Buffer[]): void {
  let size = 0;
  for (const { length } of pieces) size += length;
  if (size <= MAX_JOINED_BYTES) {
    const line = Buffer.allocUnsafe(size + 1);
    let at = 0;
    for (const piece of pieces) {
      line.set(piece, at);
      at += piece.length;
    }
    line[size] = NEWLINE;
    stream.write(line);
    return;
  }
  stream.cork();
  for (const piece of pieces) stream.write(piece);
  stream.write(LINE_END);
  stream.uncork();
}
