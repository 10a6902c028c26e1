/** Clocks differ. A token counts that much longer, and that much earlier. */
export const CLOCK_TOLERANCE_SECONDS = 60;
