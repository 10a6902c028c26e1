import * as z from 'zod';

/**
 * Zod remembers each object it has parsed, so as to end on values that contain themselves. All that is parsed here comes
 * out of JSON, which has none, and remembering costs a twentieth of a small call. For schemas made from now on, so call
 * it before the protocol's are loaded.
 */
export function parseWithoutMemory(): void {
  z.config({ memoizer: { attach() {}, guard() {}, alloc: (_schema, _payload, empty) => empty } });
}
