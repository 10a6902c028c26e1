import { readFileSync } from 'node:fs';

/** The arguments of the call, checked against the input schema already. */
export function args(): Record<string, unknown> {
  const value: unknown = JSON.parse(readVariable('MCP_TOOL_ARGS_JSON', 'MCP_TOOL_ARGS_FILE') ?? '{}');
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** What the client sent along with the call (`_meta`). */
export function meta(): Record<string, unknown> {
  const value: unknown = JSON.parse(readVariable('MCP_TOOL_META_JSON', 'MCP_TOOL_META_FILE') ?? '{}');
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** The value of a variable, or of the file that another names because it was too long for one. */
export function readVariable(name: string, fileName: string): string | undefined {
  const file = process.env[fileName];
  return file === undefined || file === '' ? process.env[name] : readFileSync(file, 'utf8');
}
