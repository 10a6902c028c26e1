import { readVariable } from './read-variable.js';

/** The arguments of the call, checked against the input schema already. */
export function args(): Record<string, unknown> {
  const value: unknown = JSON.parse(readVariable('MCP_TOOL_ARGS_JSON', 'MCP_TOOL_ARGS_FILE') ?? '{}');
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
