/** How strict a sandbox is: `off` restricts nothing, `write` restricts writing, and `strict` restricts reading, too. */
export type SandboxLevel = 'off' | 'write' | 'strict';

/** `auto`: the strongest level that works here. */
export type WantedLevel = SandboxLevel | 'auto';

/**
 * `full`: what is not allowed is not visible at all. `contents`: what is not allowed cannot be read, written, created,
 * removed, executed or connected to, but its name and metadata can be seen, and modes and times of the user's own files
 * can be changed.
 */
export type Guarantee = 'full' | 'contents';

/** What carries a plan out. */
export type BackendName = 'bubblewrap' | 'landlock' | 'seatbelt';

/** The strongest backend first. */
export const BACKEND_NAMES: readonly BackendName[] = ['bubblewrap', 'landlock', 'seatbelt'];
