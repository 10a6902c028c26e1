/** `off` keeps nothing. */
export const HISTORY_MODES = ['best-effort', 'required', 'off'] as const;
export type HistoryModeName = (typeof HISTORY_MODES)[number];

/** What is kept at most; the rest as usual. */
export interface HistoryBounds {
  readonly maxBytes?: number | undefined;
  readonly maxDays?: number | undefined;
  readonly maxFileBytes?: number | undefined;
}
