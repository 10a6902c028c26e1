import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Project } from '@rootward/core';
import { ERROR_META_KEY, reportError } from '@rootward/mcp';
import * as z from 'zod';
import { dataResult } from '../framework/results.js';

/** How a project is described in any result. */
export function projectFields(): Readonly<Record<keyof Project, z.ZodType>> {
  return {
    name: z.string(),
    id: z.string(),
    path: z.string().optional(),
    source: z.string(),
    repository: z.string().optional(),
  };
}

/** The one shape all tools of this toolset answer in, whether they succeed or not. */
export function projectOutput(value: z.ZodObject): z.ZodObject {
  const text = z.string().optional();
  return z.object({
    success: z.boolean(),
    value: value.optional(),
    error: text,
    error_type: text,
    message: text,
    instruction: text,
  });
}

export interface ProjectValue {
  readonly value: Record<string, unknown>;
  /** In words, for clients that do not show structured content. */
  readonly text: string;
  readonly message?: string;
  readonly instruction?: string;
}

/** Runs a handler and puts what it gives, or why it failed, into the shape. */
export async function inProjectShape(work: () => Promise<ProjectValue>): Promise<CallToolResult> {
  try {
    const { text, ...rest } = await work();
    return dataResult({ success: true, ...rest }, text);
  } catch (error) {
    const report = reportError(error);
    // Also what is no error but a question to the client, which whoever called us knows how to ask.
    if (report === undefined) throw error;
    const data = { success: false, error: report.message, ...report };
    return {
      ...dataResult(data, `${report.message}\n${report.instruction}`),
      isError: true,
      _meta: { [ERROR_META_KEY]: report },
    };
  }
}
