import { RootwardError } from '../../error.js';
import { FileReader } from './file-reader.js';
import type { Gate } from '../gate/gate.js';
import { READ_FLAGS, requireFile } from './open.js';
import { DEFAULT_MAX_BYTES } from './read-text.js';
import { fromSystem, quotePath } from '../gate/refusal.js';
import { contentVersion, statsVersion, Versioned } from '../recording/version.js';

/** Options of `Scope.readBytes()`: the whole file, or a range of it. */
export interface ReadBytesOptions {
  /** First byte to return; default 0. */
  readonly offset?: number;
  /** How many bytes to return; default all that follow. */
  readonly length?: number;
  readonly maxBytes?: number;
  readonly signal?: AbortSignal;
}

/** What `Scope.readBytes()` returns. */
export interface BytesReading {
  readonly bytes: Uint8Array;
  /** Size of the whole file in bytes. */
  readonly size: number;
  /** Identifies what the whole file held, for `expected` of a later `write()`. */
  readonly version: string;
}

class Reading extends Versioned implements BytesReading {
  readonly bytes: Uint8Array;
  readonly size: number;

  constructor(bytes: Uint8Array, size: number, find: () => string) {
    super(find);
    this.bytes = bytes;
    this.size = size;
  }
}

export async function readBytesInScope(
  gate: Gate,
  asked: string,
  options: ReadBytesOptions = {},
): Promise<BytesReading> {
  options.signal?.throwIfAborted();
  const maxBytes = options.maxBytes ?? DEFAULT_MAX_BYTES;
  const offset = options.offset ?? 0;
  for (const value of [offset, options.length ?? 0, maxBytes]) {
    if (value === Number.POSITIVE_INFINITY || (Number.isSafeInteger(value) && value >= 0)) continue;
    throw new RootwardError(
      'invalid-option',
      `Cannot read bytes: expected whole numbers of 0 or more, received ${value}`,
    );
  }
  const { pin } = gate.admit('read', asked);
  let reader: FileReader | undefined;
  try {
    requireFile('read', asked, pin);
    const { size } = pin.stats;
    const length = Math.min(options.length ?? size, Math.max(0, size - offset));
    if (length > maxBytes) {
      throw new RootwardError(
        'too-large',
        `Cannot read ${quotePath(asked)}: ${length} bytes are more than the limit of ${maxBytes}`,
        { path: asked, instruction: 'Read a part of it (offset and length)' },
      );
    }
    reader = new FileReader(pin.reopen(READ_FLAGS), options.signal);
    const bytes = await reader.read(offset, length);
    const { path, stats } = pin;
    const find = (): string =>
      bytes.length === size ? contentVersion(path, bytes) : statsVersion(path, stats);
    return new Reading(bytes, size, find);
  } catch (error) {
    options.signal?.throwIfAborted();
    throw fromSystem('read', asked, error);
  } finally {
    reader?.close();
    pin.close();
  }
}
