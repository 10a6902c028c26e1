/** By themselves, so that reading a command line does not load the tools. */
export const TOOLSET_NAMES = ['workspace', 'files', 'code', 'project', 'exec'] as const;

export type ToolsetName = (typeof TOOLSET_NAMES)[number];
