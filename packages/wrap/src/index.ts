export { RootwardWrapError } from './error.js';
export type { WrapErrorCode } from './error.js';
export { CHANGE_POLICIES } from './inner/change-policy.js';
export type { ChangePolicy } from './inner/change-policy.js';
export type { CommandTemplate, Launch, Run } from './inner/launch.js';
export { ToolFilter } from './session/tool-filter.js';
export type { ToolFilterOptions } from './session/tool-filter.js';
export { wrapStdio } from './stdio/wrap-stdio.js';
export type { WrapStdioOptions } from './stdio/wrap-stdio.js';
