import { constants, lstatSync, openSync, readlinkSync, type Stats } from 'node:fs';
import type { Pin } from '../pin/pin.js';

/** What is at the place of a planned change. */
export interface Prior {
  readonly stats: Stats;
  /** Opens a file for reading; a link in its place is not followed. The caller closes it. */
  open(): number;
  /** Where a link leads. */
  target(): string;
  /** A name that leads to a file, for a copy that shares its blocks; absent where it could be swapped. */
  readonly name?: string;
}

/** What will be there afterwards. */
export type Next =
  | { readonly kind: 'absent' }
  | { readonly kind: 'directory'; readonly mode?: number | undefined }
  | { readonly kind: 'link'; readonly target: string }
  | {
      readonly kind: 'file';
      readonly mode: number;
      /** The bytes, or an opened file that has them. */
      readonly content: Uint8Array | number;
      /** The bytes come after those that are there. */
      readonly appended?: boolean;
    };

/** A planned change. Paths are canonical. */
export type Plan =
  | { readonly kind: 'put'; readonly path: string; readonly prior: Prior | undefined; readonly next: Next }
  | {
      readonly kind: 'move';
      readonly from: string;
      readonly path: string;
      readonly moved: Prior;
      readonly prior: Prior | undefined;
    }
  | {
      /** A folder goes with all that is in it. */
      readonly kind: 'take-tree';
      readonly path: string;
      /** The name of the folder for system calls. */
      readonly child: string;
      /** Throws where a path below the folder must not be kept; relative to it. */
      check(relative: string): void;
    }
  | {
      /** A folder that was taken before comes back. */
      readonly kind: 'put-tree';
      readonly path: string;
      readonly tree: {
        readonly tree: string;
        readonly digest: string;
        readonly files: number;
        readonly bytes: number;
      };
    };

/** A change that was recorded. */
export interface Recording {
  /** The folder was moved away whole, and is gone from its place already. */
  readonly taken: boolean;
  /** The change was made. */
  done(): void;
  /** A part of the change was made, and the rest may fail. */
  partly?(): void;
  /** The change was not made after all. */
  failed(): void;
}

/** Told of every change before it is made, and keeps what is there. Throws to refuse the change. */
export interface Recorder {
  record(plan: Plan, signal?: AbortSignal): Promise<Recording>;
}

const READ_ENTRY: number = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const READ: number = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** What is at a name; a link is not followed. Undefined if there is nothing. */
export function priorAt(child: string): Prior | undefined {
  const stats = lstatSync(child, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  return { stats, open: () => openSync(child, READ_ENTRY), target: () => readlinkSync(child), name: child };
}

/** The prior state of a pinned object. */
export function priorOf(pin: Pin): Prior {
  return { stats: pin.stats, open: () => pin.reopen(READ), target: () => '', name: pin.self };
}
