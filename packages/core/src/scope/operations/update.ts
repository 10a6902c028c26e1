import { RootwardError } from '../../error.js';
import { errnoOf } from '../../platform/errno.js';
import type { Gate } from '../gate/gate.js';
import { fromSystem } from '../gate/refusal.js';
import { placeOfPin } from '../recording/changes.js';
import { readTextInScope, type TextReading } from './read-text.js';
import type { Writing } from './replace-file.js';
import { writeInScope } from './write.js';

/** The new text of a file, without a byte order mark. Called again where the file changed before it could be written. */
export type ChangeText = (reading: TextReading) => string | Promise<string>;

/** Options of `Scope.update()`. */
export interface UpdateOptions {
  /** A larger file is refused. */
  readonly maxBytes?: number;
  readonly signal?: AbortSignal;
}

/** What `Scope.update()` did. */
export interface UpdateResult {
  /** The text before and after, without a byte order mark; the same where nothing was written. */
  readonly before: string;
  readonly after: string;
  /** The file starts with a byte order mark, before and after. */
  readonly bom: boolean;
  /** Identifies what the file holds now, for `expected` of a later `write()`. */
  readonly version: string;
}

const ACTION = 'change';
const BYTE_ORDER_MARK = '\uFEFF';
/** Only programs that know no locks come in between, each time within microseconds. */
const MAX_ATTEMPTS = 8;

/** Reads, computes and writes under the lock of the file. */
export async function updateInScope(
  gate: Gate,
  writing: Writing,
  asked: string,
  change: ChangeText,
  options: UpdateOptions = {},
): Promise<UpdateResult> {
  for (let attempt = 1; ; attempt++) {
    const { pin } = gate.admit(ACTION, asked, 'change');
    pin.close();
    try {
      const attemptOnce = (changes: Writing['changes']): Promise<UpdateResult> =>
        updateOnce(gate, { ...writing, changes }, asked, change, options);
      return await writing.changes.holding(placeOfPin(pin), attemptOnce, options.signal);
    } catch (error) {
      if (errnoOf(error) === 'ELOCKED') throw fromSystem(ACTION, asked, error);
      const isOvertaken = error instanceof RootwardError && error.code === 'changed-meanwhile';
      if (!isOvertaken || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

async function updateOnce(
  gate: Gate,
  writing: Writing,
  asked: string,
  change: ChangeText,
  { maxBytes, signal }: UpdateOptions,
): Promise<UpdateResult> {
  const limits = { ...(maxBytes !== undefined && { maxBytes }), ...(signal !== undefined && { signal }) };
  const reading = await readTextInScope(gate, asked, limits);
  const { text: before, bom } = reading;
  const after = await change(reading);
  if (after === before) return { before, after, bom, version: reading.version };
  const mark = bom ? BYTE_ORDER_MARK : '';
  const { version } = await writeInScope(gate, writing, asked, mark + after, {
    expected: reading.version,
    signal,
  });
  return { before, after, bom, version };
}
