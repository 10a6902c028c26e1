import { isUtf8 } from 'node:buffer';
import type { Stats } from 'node:fs';
import { RootwardError } from '../../error.js';
import { FileReader } from './file-reader.js';
import type { Gate } from '../gate/gate.js';
import { stampOf, type FileStamp } from './file-stamp.js';
import { findLines, findTail, type ByteRange } from './line-range.js';
import { READ_FLAGS, requireFile } from './open.js';
import { fromSystem, quotePath, scopeError } from '../gate/refusal.js';
import { contentVersion, statsVersion, Versioned } from '../recording/version.js';

/**
 * How much is read at once unless `maxBytes` says otherwise. A larger answer helps nobody, and its memory is needed
 * several times on the way to the client.
 */
export const DEFAULT_MAX_BYTES: number = 10 * 1024 * 1024;

/**
 * Options of `Scope.readText()`: the whole file, or a range of lines. `head`, `tail` and `offset`/`limit` exclude each
 * other.
 */
export interface ReadTextOptions {
  /** Lines to skip from the start. */
  readonly offset?: number;
  /** Lines to return from there. */
  readonly limit?: number;
  /** Only the first lines. */
  readonly head?: number;
  /** Only the last lines. */
  readonly tail?: number;
  /** A whole file above this is refused; a range is cut to it and marked `truncated`. */
  readonly maxBytes?: number;
  readonly signal?: AbortSignal;
}

/** What `Scope.readText()` returns. */
export interface TextReading {
  /** The lines as they are on disk, line ends included, without a byte order mark. */
  readonly text: string;
  /** Size of the whole file in bytes. */
  readonly size: number;
  /** The file starts with a byte order mark. */
  readonly bom: boolean;
  /** The asked range was longer than `maxBytes`. */
  readonly truncated: boolean;
  /** Identifies what the whole file held, for `expected` of a later `write()`. */
  readonly version: string;
  /** The stamp that the file had before it was read. */
  readonly stamp: FileStamp;
}

class Reading extends Versioned implements TextReading {
  readonly text: string;
  readonly size: number;
  readonly bom: boolean;
  readonly truncated: boolean;
  readonly #stats: Stats;

  constructor(
    { text, size, bom, truncated }: Omit<TextReading, 'version' | 'stamp'>,
    stats: Stats,
    find: () => string,
  ) {
    super(find);
    this.#stats = stats;
    this.text = text;
    this.size = size;
    this.bom = bom;
    this.truncated = truncated;
  }

  get stamp(): FileStamp {
    return stampOf(this.#stats);
  }
}

function checkCount(name: string, value: number | undefined): void {
  if (value === undefined || value === Number.POSITIVE_INFINITY) return;
  if (Number.isSafeInteger(value) && value >= 0) return;
  throw new RootwardError(
    'invalid-option',
    `Cannot read lines: expected ${name} to be a whole number of 0 or more, received ${value}`,
  );
}

function checkOptions(options: ReadTextOptions): void {
  for (const name of ['offset', 'limit', 'head', 'tail', 'maxBytes'] as const)
    checkCount(name, options[name]);
  const ways = [options.head, options.tail, options.offset ?? options.limit].filter(
    (way) => way !== undefined,
  );
  if (ways.length > 1) {
    throw new RootwardError(
      'invalid-option',
      'Cannot read lines: expected one of head, tail, or offset and limit',
    );
  }
}

async function findRange(
  reader: FileReader,
  size: number,
  { head, tail, offset, limit }: ReadTextOptions,
  maxBytes: number,
): Promise<ByteRange | undefined> {
  if (tail !== undefined) return findTail(reader, size, tail, maxBytes);
  if (head !== undefined) return findLines(reader, size, 0, head, maxBytes);
  if (offset === undefined && limit === undefined) return undefined;
  return findLines(reader, size, offset ?? 0, limit ?? Number.POSITIVE_INFINITY, maxBytes);
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

/** Moves a cut back to the start of a character, so that cutting never makes valid text invalid. */
function cutAtCharacter(bytes: Buffer, length: number): Buffer {
  let end = length;
  while (end > 0 && length - end < 3 && isContinuation(bytes[end])) end--;
  return bytes.subarray(0, end);
}

function skipContinuation(bytes: Buffer): Buffer {
  let start = 0;
  while (start < 3 && isContinuation(bytes[start])) start++;
  return bytes.subarray(start);
}

async function readRange(
  reader: FileReader,
  { start, end }: ByteRange,
  maxBytes: number,
  fromEnd: boolean,
): Promise<{ bytes: Buffer; start: number; truncated: boolean }> {
  if (end - start <= maxBytes)
    return { bytes: await reader.read(start, end - start), start, truncated: false };
  if (fromEnd) {
    return {
      bytes: skipContinuation(await reader.read(end - maxBytes, maxBytes)),
      start: end - maxBytes,
      truncated: true,
    };
  }
  // One byte more tells whether the cut falls inside a character.
  const bytes = await reader.read(start, maxBytes + 1);
  return { bytes: cutAtCharacter(bytes, Math.min(maxBytes, bytes.length)), start, truncated: true };
}

function hasBom(bytes: Buffer): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

/** Reads UTF-8 text, whole or by lines. Other encodings are refused, since a wrong guess would damage the text. */
export async function readTextInScope(
  gate: Gate,
  asked: string,
  options: ReadTextOptions = {},
): Promise<TextReading> {
  checkOptions(options);
  options.signal?.throwIfAborted();
  const maxBytes = options.maxBytes ?? DEFAULT_MAX_BYTES;
  const { pin } = gate.admit('read', asked);
  let reader: FileReader | undefined;
  try {
    requireFile('read', asked, pin);
    const { size } = pin.stats;
    reader = new FileReader(pin.reopen(READ_FLAGS), options.signal);
    const range = await findRange(reader, size, options, maxBytes);
    if (range === undefined && size > maxBytes) {
      throw new RootwardError(
        'too-large',
        `Cannot read ${quotePath(asked)}: it has ${size} bytes, more than the limit of ${maxBytes}`,
        { path: asked, instruction: 'Read a part of it by lines (head, tail, or offset and limit)' },
      );
    }
    const { bytes, start, truncated } = await readRange(
      reader,
      range ?? { start: 0, end: size },
      maxBytes,
      options.tail !== undefined,
    );
    if (!isUtf8(bytes)) throw scopeError('not-text', 'read', asked, 'it is not UTF-8 text');
    const bom = start === 0 && hasBom(bytes);
    const { path, stats } = pin;
    // A whole file is told from another one by its content, which may have been written again as it was.
    const find = (): string =>
      range === undefined ? contentVersion(path, bytes) : statsVersion(path, stats);
    return new Reading({ text: bytes.toString('utf8', bom ? 3 : 0), size, bom, truncated }, stats, find);
  } catch (error) {
    options.signal?.throwIfAborted();
    throw fromSystem('read', asked, error);
  } finally {
    reader?.close();
    pin.close();
  }
}
