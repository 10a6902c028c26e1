import { crc32 } from 'node:zlib';
import type { Step } from './entry-state.js';

/** Who made a change, and with what. */
export interface ChangeAbout {
  /** The tool or command. */
  readonly tool: string;
  /** The connection it came from. */
  readonly session?: string;
  /** The name of the client. */
  readonly client?: string;
  /** A digest of the principal; empty where nobody has to say who they are. */
  readonly principal?: string;
  /** Changes that this one takes back. */
  readonly undoes?: readonly string[];
}

/** The first line of a change, written before anything is changed. */
interface ChangeLine extends ChangeAbout {
  readonly type: 'change';
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly steps: readonly Step[];
}

/** More of a change that was begun. */
export interface StepLine {
  readonly type: 'steps';
  readonly id: string;
  readonly at: number;
  /** How many steps of the change come before these. */
  readonly first: number;
  readonly steps: readonly Step[];
}

/** What a tree turned out to hold. */
export interface CountedTree {
  /** Which step of the change it is, counted from 0. */
  readonly step: number;
  readonly files: number;
  readonly bytes: number;
  /** Files in it that were not kept, relative to it. */
  readonly lost?: readonly string[];
}

/** The change is complete. */
export interface EndLine {
  readonly type: 'end';
  readonly id: string;
  /** Steps that were noted and then did not happen, counted from 0. */
  readonly failed?: readonly number[];
  readonly counted?: readonly CountedTree[];
  /** What could not be kept or looked at, in words. */
  readonly notes?: readonly string[];
}

export type Line = ChangeLine | StepLine | EndLine;

const CHECKSUM_LENGTH = 8;
const NO_CHECKSUM = '0'.repeat(CHECKSUM_LENGTH);
const TYPES: ReadonlySet<unknown> = new Set(['change', 'steps', 'end']);

/** One line of a journal. The line break before it ends a line that a full disk has cut off. */
export function encodeLine(line: Line): Buffer {
  const bytes = Buffer.from(`\n${NO_CHECKSUM} ${JSON.stringify(line)}\n`);
  bytes.write(checksum(bytes.subarray(CHECKSUM_LENGTH + 2, -1)), 1, 'latin1');
  return bytes;
}

/** Undefined for anything that is not a line, and for a damaged line. */
export function decodeLine(bytes: Buffer): Line | undefined {
  if (bytes.length <= CHECKSUM_LENGTH + 1) return undefined;
  const json = bytes.subarray(CHECKSUM_LENGTH + 1);
  if (bytes.toString('latin1', 0, CHECKSUM_LENGTH) !== checksum(json)) return undefined;
  try {
    const value: unknown = JSON.parse(json.toString());
    return isLine(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function checksum(bytes: Buffer): string {
  return crc32(bytes).toString(16).padStart(CHECKSUM_LENGTH, '0');
}

/** The checksum shows that Rootward wrote it; only the version may differ. */
function isLine(value: unknown): value is Line {
  return typeof value === 'object' && value !== null && 'type' in value && TYPES.has(value.type);
}
