export { args } from './args.js';
export { isCancelled, log, progress } from './channel.js';
export type { LogLevel } from './channel.js';
export { fail, result, toolError } from './result.js';
export type { ToolErrorDetails } from './result.js';
export { contains, requirePath, roots } from './roots.js';
export type { ToolRoot } from './roots.js';
