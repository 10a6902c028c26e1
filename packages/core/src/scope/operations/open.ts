import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import type { Gate } from '../gate/gate.js';
import type { Guarantee, Pin } from '../pin/pin.js';
import { fromSystem, scopeError } from '../gate/refusal.js';

/** What a handle from `Scope.open()` is for. */
export type OpenAccess = 'read' | 'read-write' | 'append';

/** Options of `Scope.open()`. */
export interface OpenOptions {
  /** Default `read`. The others need an existing file; `write` creates files. */
  readonly access?: OpenAccess;
}

// Without O_NONBLOCK a FIFO would hang the process until somebody writes to it. Absent on Windows.
const O_NONBLOCK: number = constants.O_NONBLOCK ?? 0;

export const READ_FLAGS: number = constants.O_RDONLY | O_NONBLOCK;

const FLAGS: Readonly<Record<OpenAccess, number>> = {
  read: READ_FLAGS,
  'read-write': constants.O_RDWR | O_NONBLOCK,
  append: constants.O_WRONLY | constants.O_APPEND | O_NONBLOCK,
};

/** Refuses anything but a regular file before it is opened: opening a device can have an effect. */
export function requireFile(action: string, asked: string, pin: Pin): void {
  if (pin.stats.isFile()) return;
  if (pin.stats.isDirectory()) throw scopeError('not-a-file', action, asked, 'it is a folder');
  throw scopeError('unsupported-type', action, asked, 'it is not a regular file or folder');
}

/** Hands out the opened object. What the caller does with a handle is no longer checked against the rules. */
export async function openInScope(gate: Gate, asked: string, options: OpenOptions = {}): Promise<FileHandle> {
  const access = options.access ?? 'read';
  const { pin } = gate.admit('open', asked, access === 'read' ? 'read' : 'change');
  try {
    requireFile('open', asked, pin);
    return await pin.reopenHandle(FLAGS[access]);
  } catch (error) {
    throw fromSystem('open', asked, error);
  } finally {
    pin.close();
  }
}

/** What a process gets while a path is lent to it. */
export interface Lent {
  /** The path that the process opens, valid until `use` ends. */
  readonly path: string;
  /** Where it is, for people. */
  readonly canonical: string;
  /** `race-free`: `path` leads to the object that was checked, whatever takes its name meanwhile. */
  readonly guarantee: Guarantee;
}

/** Options of `Scope.lend()`. */
export interface LendOptions {
  /** `read-write` is refused where nothing may be changed. Default `read`. */
  readonly access?: 'read' | 'read-write';
}

/** Holds a file or folder, and hands out a name for it that other processes of this user can open. */
export async function lendInScope<Result>(
  gate: Gate,
  guarantee: Guarantee,
  asked: string,
  use: (lent: Lent) => Result | Promise<Result>,
  { access = 'read' }: LendOptions = {},
): Promise<Result> {
  const { pin } = gate.admit('lend', asked, access === 'read' ? 'read' : 'change');
  try {
    if (!pin.stats.isDirectory()) requireFile('lend', asked, pin);
    return await use({ path: pin.self, canonical: pin.path, guarantee });
  } finally {
    pin.close();
  }
}
