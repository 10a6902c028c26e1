import { isUtf8 } from 'node:buffer';
import {
  CODE,
  endOfPlain,
  FIRST_PRINTABLE,
  HEX_DIGITS,
  isHexDigit,
  isShortEscape,
  MAX_DEPTH,
} from './json-bytes.js';

const STATE = {
  value: 0,
  valueOrClose: 1,
  key: 2,
  keyOrClose: 3,
  colon: 4,
  after: 5,
  string: 6,
  escape: 7,
  hex: 8,
  word: 9,
  done: 10,
} as const;

/** Longer names and numbers are in no message. */
const MAX_TOKEN_BYTES = 4096;
const WORD = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/;

/** Written anew: the version always, the id at the end. */
const OWN: ReadonlySet<string> = new Set(['jsonrpc', 'id']);
/** Members of a result of the modern era that asks something; at least one of them is there. */
const ASKING: ReadonlySet<string> = new Set(['"inputRequests"', '"requestState"']);
const HEAD = '{"jsonrpc":"2.0"';
const INCOMPLETE = ',"method":"notifications/rootward/incomplete_answer"}';
/** What the value or member at hand lacks, where it is cut off in this state. */
const MISSING: Readonly<Record<number, string>> = {
  [STATE.value]: 'null',
  [STATE.key]: '"":null',
  [STATE.colon]: ':null',
};

/**
 * An answer that is passed on while it comes, since holding one of megabytes takes as long as sending it. What goes out
 * is checked byte by byte and has no id: that is added when the whole answer was found to be one, so that nobody takes
 * a part of it for an answer.
 */
export class PassingAnswer {
  /** Members to put first into the result, as written. */
  readonly #added: string;
  /** What closes the containers that are open. */
  readonly #stack = new Uint8Array(MAX_DEPTH + 1);
  /** Members of the message. */
  readonly #names = new Set<string>();
  readonly #own = new Map<string, string>();
  #out: Buffer[] = [];
  #depth = 0;
  #state: number = STATE.value;
  #isKey = false;
  #hexLeft = 0;
  /** The name, or the number or literal, at hand. */
  #token = '';
  #name = '';
  #nameText = '';
  /** As written; of a member of the result. */
  #innerName = '';
  /** Where the part that goes out begins in the piece at hand; -1 outside of it. */
  #from = -1;
  #broken = false;
  #isToolError = false;
  #mayAskBack = false;
  /** As of the last piece that went out. */
  #closing: string = INCOMPLETE;
  /** The beginning of a character whose rest is in the next piece. */
  #carry: Buffer = Buffer.alloc(0);

  constructor(added = '') {
    this.#added = added;
  }

  /** Whether a result has begun, and nothing says that this is something else. */
  get isAnswer(): boolean {
    return !this.#broken && this.#names.has('result') && !this.#names.has('method');
  }

  /** Whether it is the result of a tool that failed. */
  get isToolError(): boolean {
    return this.#isToolError;
  }

  /** Whether a result of the modern era with these members may ask something, so that its call is not over. */
  get mayAskBack(): boolean {
    return this.#mayAskBack;
  }

  /** The id as written, once it has come. */
  get id(): string | undefined {
    const id = this.#own.get('id');
    return id === undefined ? undefined : Buffer.from(id, 'latin1').toString('utf8');
  }

  /** What can go out; undefined once this is no message. */
  push(piece: Buffer): readonly Buffer[] | undefined {
    if (this.#broken) return undefined;
    const joined = this.#carry.length === 0 ? piece : Buffer.concat([this.#carry, piece]);
    const end = endOfCharacters(joined);
    const bytes = joined.subarray(0, end);
    this.#carry = Buffer.from(joined.subarray(end));
    if (this.#from !== -1) this.#from = 0;
    this.#broken = !isUtf8(bytes) || !this.#scan(bytes);
    if (this.#broken) return undefined;
    this.#closing = this.#close();
    const out = this.#out;
    this.#out = [];
    return out;
  }

  /** The id as written, if all of it was a valid answer. */
  finish(): string | undefined {
    const isWhole = !this.#broken && this.#state === STATE.done && this.#carry.length === 0;
    const isResult = this.#names.has('result') && !this.#names.has('error') && !this.#names.has('method');
    return isWhole && isResult && this.#own.get('jsonrpc') === '"2.0"' ? this.id : undefined;
  }

  /** What ends it as the answer to a request; without an id, as no answer. */
  static end(id: string | undefined, incomplete: Buffer): Buffer {
    return id === undefined ? incomplete : Buffer.from(`,"id":${id}}`);
  }

  /** What makes a valid message of what went out so far, which answers nothing. */
  abandon(): Buffer {
    return Buffer.from(this.#closing);
  }

  #close(): string {
    const state = this.#state;
    let text = '';
    if (this.#from !== -1) {
      if (state === STATE.escape) text += '\\';
      if (state === STATE.hex) text += '0'.repeat(this.#hexLeft);
      if (state === STATE.word) text += 'null';
      const isInString = state === STATE.string || state === STATE.escape || state === STATE.hex;
      if (isInString) text += this.#isKey ? '":null' : '"';
      text += MISSING[state] ?? '';
    }
    for (let depth = this.#depth; depth > 1; depth--) text += String.fromCharCode(this.#stack[depth] ?? 0);
    return text + INCOMPLETE;
  }

  #scan(bytes: Buffer): boolean {
    let at = 0;
    while (at < bytes.length) {
      at = this.#step(bytes, at);
      if (at === -1) return false;
    }
    if (this.#from === -1) return true;
    // A number may go on in the next piece; it goes out when it is complete.
    const end = this.#state === STATE.word ? bytes.length - this.#token.length : bytes.length;
    if (end > this.#from) this.#out.push(bytes.subarray(this.#from, end));
    return true;
  }

  /** Where the next step begins, or -1. */
  #step(bytes: Buffer, at: number): number {
    switch (this.#state) {
      case STATE.string:
        return this.#inString(bytes, at);
      case STATE.escape:
        return this.#inEscape(bytes[at] ?? 0, at);
      case STATE.hex:
        return this.#inHex(bytes[at] ?? 0, at);
      case STATE.word:
        return this.#inWord(bytes, at);
      default:
        return isBlank(bytes[at] ?? 0) ? at + 1 : this.#between(bytes[at] ?? 0, at, bytes);
    }
  }

  #inString(bytes: Buffer, start: number): number {
    const { length } = bytes;
    const at = endOfPlain(bytes, start, length);
    const code = bytes[at] ?? 0;
    if (!this.#keep(bytes, start, at)) return -1;
    if (at === length) return at;
    if (code < FIRST_PRINTABLE) return -1;
    if (!this.#keep(bytes, at, at + 1)) return -1;
    if (code === CODE.backslash) this.#state = STATE.escape;
    else if (!this.#isKey) this.#endValue(bytes, at + 1);
    else if (!this.#endKey()) return -1;
    return at + 1;
  }

  #inEscape(code: number, at: number): number {
    this.#keepCode(code);
    if (code === CODE.lowerU) {
      this.#state = STATE.hex;
      this.#hexLeft = HEX_DIGITS;
    } else if (isShortEscape(code)) this.#state = STATE.string;
    else return -1;
    return at + 1;
  }

  #inHex(code: number, at: number): number {
    if (!isHexDigit(code)) return -1;
    this.#keepCode(code);
    this.#hexLeft -= 1;
    if (this.#hexLeft === 0) this.#state = STATE.string;
    return at + 1;
  }

  #inWord(bytes: Buffer, start: number): number {
    let at = start;
    while (at < bytes.length && !isDelimiter(bytes[at] ?? 0)) at += 1;
    const isContinued = start === 0 && this.#token !== '';
    const before = this.#token;
    this.#token += bytes.toString('latin1', start, at);
    if (this.#token.length > MAX_TOKEN_BYTES) return -1;
    if (at === bytes.length) return at;
    if (!WORD.test(this.#token)) return -1;
    if (this.#depth === 2 && this.#name === 'result' && this.#innerName === '"isError"')
      this.#isToolError = this.#token === 'true';
    if (isContinued && this.#from !== -1) this.#out.push(Buffer.from(before, 'latin1'));
    this.#endValue(bytes, at);
    return at;
  }

  /** A byte that is no blank and in no string, number or literal. */
  #between(code: number, at: number, bytes: Buffer): number {
    switch (this.#state) {
      case STATE.colon:
        this.#state = STATE.value;
        return code === CODE.colon ? at + 1 : -1;
      case STATE.after:
        if (code === CODE.comma) {
          this.#state = this.#stack[this.#depth] === CODE.closeBrace ? STATE.key : STATE.value;
          return at + 1;
        }
        return this.#closeContainer(code, at, bytes);
      case STATE.keyOrClose:
        if (this.#isResult() && this.#added !== '') this.#add(code === CODE.closeBrace, at, bytes);
        if (code === CODE.closeBrace) return this.#closeContainer(code, at, bytes);
        return this.#startKey(code, at);
      case STATE.key:
        return this.#startKey(code, at);
      case STATE.valueOrClose:
        if (code === CODE.closeBracket) return this.#closeContainer(code, at, bytes);
        return this.#startValue(code, at);
      case STATE.value:
        return this.#startValue(code, at);
      default:
        return -1;
    }
  }

  #startKey(code: number, at: number): number {
    if (code !== CODE.quote) return -1;
    this.#state = STATE.string;
    this.#isKey = true;
    this.#token = '"';
    return at + 1;
  }

  #endKey(): boolean {
    this.#state = STATE.colon;
    if (this.#depth === 2) this.#innerName = this.#token;
    if (this.#isResult() && ASKING.has(this.#token)) this.#mayAskBack = true;
    // What is added would be there twice.
    if (this.#isResult() && this.#added.startsWith(`${this.#token}:`)) return false;
    if (this.#depth > 1) return true;
    this.#name = String(JSON.parse(this.#token));
    if (this.#names.has(this.#name)) return false;
    this.#names.add(this.#name);
    this.#nameText = this.#token;
    return true;
  }

  #startValue(code: number, at: number): number {
    this.#isKey = false;
    if (this.#depth === 1) this.#startMember(at);
    if (this.#depth === 1 && this.#name === 'result' && this.#added !== '' && code !== CODE.openBrace)
      return -1;
    if (code === CODE.openBrace || code === CODE.openBracket) {
      if (this.#depth === MAX_DEPTH || this.#isOwn()) return -1;
      if (this.#depth === 0 && code === CODE.openBracket) return -1;
      if (this.#depth === 0) this.#out.push(Buffer.from(HEAD));
      this.#depth += 1;
      this.#stack[this.#depth] = code === CODE.openBrace ? CODE.closeBrace : CODE.closeBracket;
      this.#state = code === CODE.openBrace ? STATE.keyOrClose : STATE.valueOrClose;
      return at + 1;
    }
    if (this.#depth === 0) return -1;
    this.#token = '';
    this.#state = code === CODE.quote ? STATE.string : STATE.word;
    if (code !== CODE.quote) return at;
    this.#keepCode(code);
    return at + 1;
  }

  #startMember(at: number): void {
    if (OWN.has(this.#name)) return;
    this.#out.push(Buffer.from(`,${this.#nameText}:`, 'latin1'));
    this.#from = at;
  }

  #isResult(): boolean {
    return this.#depth === 2 && this.#name === 'result';
  }

  #add(isEmpty: boolean, at: number, bytes: Buffer): void {
    this.#out.push(bytes.subarray(this.#from, at), Buffer.from(isEmpty ? this.#added : `${this.#added},`));
    this.#from = at;
  }

  #closeContainer(code: number, at: number, bytes: Buffer): number {
    if (this.#stack[this.#depth] !== code) return -1;
    this.#depth -= 1;
    if (this.#depth === 0) this.#state = STATE.done;
    else this.#endValue(bytes, at + 1);
    return at + 1;
  }

  /** `end`: after the last byte of a value. */
  #endValue(bytes: Buffer, end: number): void {
    this.#state = STATE.after;
    if (this.#depth !== 1) return;
    if (this.#isOwn()) this.#own.set(this.#name, this.#token);
    else this.#out.push(bytes.subarray(this.#from, end));
    this.#from = -1;
  }

  #isOwn(): boolean {
    return this.#depth === 1 && OWN.has(this.#name);
  }

  /** Names and values of the message that are looked at; false where one is too long. */
  #keep(bytes: Buffer, start: number, end: number): boolean {
    if (!this.#isLookedAt()) return true;
    this.#token += bytes.toString('latin1', start, end);
    return this.#token.length <= MAX_TOKEN_BYTES;
  }

  #keepCode(code: number): void {
    if (this.#isLookedAt()) this.#token += String.fromCharCode(code);
  }

  #isLookedAt(): boolean {
    return (this.#depth <= 2 && this.#isKey) || this.#isOwn();
  }
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0d;
}

function isDelimiter(code: number): boolean {
  return isBlank(code) || code === CODE.comma || code === CODE.closeBrace || code === CODE.closeBracket;
}

/** Up to where the bytes hold whole characters. */
function endOfCharacters(bytes: Buffer): number {
  const { length } = bytes;
  for (let back = 1; back <= Math.min(3, length); back++) {
    const byte = bytes[length - back] ?? 0;
    if (byte < 0x80) return length;
    if (byte < 0xc0) continue;
    const size = byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    return size > back ? length - back : length;
  }
  return length;
}
