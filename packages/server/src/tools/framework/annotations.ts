import type { CompleteAnnotations } from './define-tool.js';

const CLOSED_WORLD = { openWorldHint: false } as const;

/** Looks, and changes nothing. */
export const READS: CompleteAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  ...CLOSED_WORLD,
};

/** Only adds; a second time changes nothing more. */
export const ADDS: CompleteAnnotations = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: true,
  ...CLOSED_WORLD,
};

/** Replaces what is there; a second time changes nothing more. */
export const REPLACES: CompleteAnnotations = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: true,
  ...CLOSED_WORLD,
};

/** Changes what is there, and fails or changes it again the second time. */
export const CHANGES: CompleteAnnotations = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  ...CLOSED_WORLD,
};
