import type { Tool } from './define-tool.js';

export type ToolsetName = 'workspace' | 'files' | 'code' | 'project' | 'exec';

/** Curated: a tool that is not listed here is not served. */
export const toolsets: Readonly<Partial<Record<ToolsetName, readonly Tool[]>>> = {
  workspace: [],
  files: [],
};
