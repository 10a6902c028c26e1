export { args, meta } from './args.js';
export { isCancelled, log, progress } from './channel.js';
export type { LogLevel } from './channel.js';
export { loadConfig } from './config.js';
export type { ConfigSources } from './config.js';
export { cliError, retry, truncate } from './data.js';
export type { Truncated } from './data.js';
export { download } from './download.js';
export type { DownloadOptions, DownloadResult } from './fetch-file.js';
export {
  elicit,
  elicitChoice,
  elicitConfirm,
  elicitMultiChoice,
  elicitString,
  elicitTitledChoice,
  elicitTitledMultiChoice,
  elicitUrl,
} from './elicit.js';
export type { ElicitAnswer, TitledChoice } from './elicit.js';
export { fail, result, resultWithResources, toolError } from './result.js';
export type { EmbeddedFile, ToolErrorDetails } from './result.js';
export { contains, requirePath, roots } from './roots.js';
export type { ToolRoot } from './roots.js';
export { runWithProgress } from './run-with-progress.js';
export type { ProgramEnd, ProgressOptions } from './run-with-progress.js';
export { clientSupportsUi, resultWithUi, uiForm, uiTable } from './ui.js';
export type { FormField } from './ui.js';
