import type { CallToolResult } from '@modelcontextprotocol/server';
import type * as z from 'zod';
import type { ToolsetName } from '../../settings/values/option-values.js';
import type { ToolContext } from './tool-context.js';

/** All four, so that no client has to guess: what is left out means the worst. */
export interface CompleteAnnotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

export interface Tool<Input extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly toolset: ToolsetName;
  readonly title: string;
  readonly description: string;
  readonly annotations: CompleteAnnotations;
  /** Made on first use, as is `output`: all of them take a megabyte, and most sessions use a few. */
  input(): Input;
  /** For tools that return data. One that returns text has none, since clients show the structured part only. */
  readonly output?: (() => z.ZodObject) | undefined;
  /** The paths among the arguments, for the audit trail. */
  paths?(args: z.output<Input>): readonly string[];
  /** Gets arguments that passed `input`. */
  handle(args: z.output<Input>, context: ToolContext): Promise<CallToolResult> | CallToolResult;
}

/** A tool, with the types of its arguments taken from its schema. */
export function defineTool<Input extends z.ZodObject>(tool: Tool<Input>): Tool {
  return tool;
}
