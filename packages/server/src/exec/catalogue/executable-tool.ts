import type { Icon } from '@modelcontextprotocol/server';
import type { ToolMetadata } from './tool-metadata.js';

/** A file that can be started. */
export interface RunnableFile {
  readonly file: string;
  /** What runs it where it has no run bit: the program and its arguments before the file. */
  readonly interpreter: readonly string[] | undefined;
}

/** An executable that can be called. */
export interface ExecutableTool extends RunnableFile {
  readonly metadata: ToolMetadata;
  /** The file with its metadata: `tool.meta.json`, or the executable itself. */
  readonly metadataFile: string;
  readonly icons?: Icon[] | undefined;
  /** The address of the page that shows its results. */
  readonly page?: string | undefined;
}

/** Why something in `tools/` is no tool. */
export interface ToolProblem {
  readonly file: string;
  /** The field of the metadata, where it is one. */
  readonly field: string | undefined;
  readonly message: string;
}

export function describeProblem({ file, field, message }: ToolProblem): string {
  return `Cannot use ${file}: ${field === undefined || field === '' ? '' : `${field}: `}${message}`;
}
