export type ToolsetName = 'workspace' | 'files' | 'code' | 'project' | 'exec';
