/** What a history keeps at most. */
export interface HistoryLimits {
  /** For all kept contents of a user together; the oldest are removed first. */
  readonly maxBytes: number;
  /** Changes older than this are removed before any others. */
  readonly maxAgeMs: number;
  /** A larger file is recorded, but not kept. */
  readonly maxFileBytes: number;
}

const MEBIBYTE = 1024 * 1024;
const DAY_MS = 24 * 60 * 60 * 1000;

/** What a history keeps by default: 1 GiB, 30 days, files of up to 50 MiB. */
export const defaultHistoryLimits: HistoryLimits = {
  maxBytes: 1024 * MEBIBYTE,
  maxAgeMs: 30 * DAY_MS,
  maxFileBytes: 50 * MEBIBYTE,
};
