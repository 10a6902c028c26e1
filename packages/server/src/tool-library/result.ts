import { readFileSync, writeFileSync, writeSync } from 'node:fs';

/** What an error says beside its message: what to do about it, and data. */
export interface ToolErrorDetails {
  readonly hint?: string;
  readonly data?: unknown;
}

/** A file that goes along with an answer. */
export interface EmbeddedFile {
  readonly path: string;
  /** Default: by the ending of its name. */
  readonly mimeType?: string;
  /** Default: that of the file. */
  readonly uri?: string;
}

const STDOUT = 1;
/** Until a full pipe is tried again; a reader that is there empties it sooner. */
const FULL_PIPE_MS = 1;
const INTERNAL_ERROR = -32_603;

/** Answers with data: a value that can be JSON. */
export function result(value: unknown): void {
  print(JSON.stringify(value));
}

/**
 * Answers with data, as `{"success": true, "result": …}`, or with a text, and with files in it. They are read here, with
 * the rights of the tool.
 */
export function resultWithResources(value: unknown, files: readonly EmbeddedFile[]): void {
  const list = process.env['MCP_TOOL_RESOURCES_FILE'];
  if (list === undefined || list === '') {
    process.stderr.write('Cannot embed files: MCP_TOOL_RESOURCES_FILE is not set\n');
  } else {
    const read = files.map(({ path, ...rest }) => ({
      ...rest,
      path,
      base64: readFileSync(path).toString('base64'),
    }));
    writeFileSync(list, JSON.stringify(read));
  }
  if (typeof value === 'string') return print(value);
  const structuredContent = { success: true, result: value };
  const text = JSON.stringify(structuredContent);
  return print(JSON.stringify({ content: [{ type: 'text', text }], structuredContent, isError: false }));
}

/** An error the caller can act on; ends the tool. */
export function toolError(type: string, message: string, details: ToolErrorDetails = {}): never {
  const structuredContent = { success: false, error: { type, message, ...details } };
  const text = JSON.stringify(structuredContent);
  return end({ content: [{ type: 'text', text }], structuredContent, isError: true });
}

/** An error of the protocol; ends the tool. */
export function fail(
  message: string,
  options: { readonly code?: number; readonly data?: unknown } = {},
): never {
  process.stderr.write(`${message}\n`);
  return end({ code: options.code ?? INTERNAL_ERROR, message, data: options.data });
}

function end(report: object): never {
  const text = JSON.stringify(report);
  const file = process.env['MCP_TOOL_ERROR_FILE'];
  if (file === undefined || file === '') print(text);
  else writeFileSync(file, text);
  process.exit(1);
}

/** All of it, before anything ends the process. */
export function print(text: string): void {
  const bytes = Buffer.from(`${text}\n`);
  for (let written = 0; written < bytes.length;) written += writeSome(bytes, written);
}

/** Once something has used `process.stdout`, writing to a full pipe fails instead of waiting. */
function writeSome(bytes: Buffer, start: number): number {
  try {
    return writeSync(STDOUT, bytes, start);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)), 0, 0, FULL_PIPE_MS);
    return 0;
  }
}
