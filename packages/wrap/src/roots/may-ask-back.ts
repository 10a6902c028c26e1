/** Requests of the modern era whose result may ask something back. */
export const MAY_ASK_BACK: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);
