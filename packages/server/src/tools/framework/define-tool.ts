import type { CallToolResult } from '@modelcontextprotocol/server';
import * as z from 'zod';
import type { ToolContext } from './tool-context.js';
import type { ToolsetName } from '../../settings/option-values.js';

/** All four, so that no client has to guess: what is left out means the worst. */
export interface CompleteAnnotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

type Shape = z.ZodObject;

export interface ToolDefinition<Input extends Shape, Output extends Shape> {
  readonly name: string;
  readonly toolset: ToolsetName;
  readonly title: string;
  readonly description: string;
  readonly annotations: CompleteAnnotations;
  /** Made on first use, as is `output`: all of them take a megabyte, and most sessions use a few. */
  input(): Input;
  /** For tools that return data. One that returns text has none, since clients show the structured part only. */
  readonly output?: (() => Output) | undefined;
  /** The paths among the arguments, for the audit trail. */
  readonly paths?: (args: z.output<Input>) => readonly string[];
  handle(args: z.output<Input>, context: ToolContext): Promise<CallToolResult> | CallToolResult;
}

/** A tool whatever its arguments are. */
export interface Tool {
  readonly name: string;
  readonly toolset: ToolsetName;
  readonly title: string;
  readonly description: string;
  readonly annotations: CompleteAnnotations;
  readonly input: () => Shape;
  /** The same with the `workspace` argument, for requests that stand alone. */
  readonly modernInput: () => Shape;
  readonly output: (() => Shape) | undefined;
  paths(args: unknown): readonly string[];
  /** Expects arguments that passed `input`. */
  handle(args: unknown, context: ToolContext): Promise<CallToolResult>;
}

export function defineTool<Input extends Shape, Output extends Shape>(
  definition: ToolDefinition<Input, Output>,
): Tool {
  const { output, paths } = definition;
  const input = once(() => definition.input());
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- whoever calls has checked them against `input`
  const checked = (args: unknown): z.output<Input> => args as z.output<Input>;
  return {
    name: definition.name,
    toolset: definition.toolset,
    title: definition.title,
    description: definition.description,
    annotations: definition.annotations,
    input,
    modernInput: once(() => input().extend({ workspace: handleArgument() })),
    output: output === undefined ? undefined : once(output),
    paths: (args) => paths?.(checked(args)) ?? [],
    handle: async (args, context) => definition.handle(checked(args), context),
  };
}

/** What it is, workspace_info says once for all tools. */
function handleArgument(): z.ZodOptional<z.ZodString> {
  return z.string().optional();
}

function once<Value extends object>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => (made ??= make());
}
