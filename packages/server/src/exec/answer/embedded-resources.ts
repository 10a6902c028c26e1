import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { isObject } from '@rootward/core/platform';
import { lookup } from 'mrmime';
import { parseJson } from '../json.js';

type Block = CallToolResult['content'][number];

/** Where the files are that a tool names, and how they are read; undefined where it may not have them read for it. */
export interface NamedFiles {
  readonly cwd: string;
  readonly read: ((path: string) => Buffer) | undefined;
}

const BINARY = 'application/octet-stream';
const TEXT = /^text\/|[/+](?:json|xml|yaml|javascript)\b/;

/**
 * The blocks for the files a tool put into its list: `[{ path, mimeType?, uri?, base64? }]`. The libraries read them with
 * the rights of the tool. Where only a path is there, it is read for the tool, unless it runs in a sandbox.
 */
export function embeddedBlocks(list: string | undefined, files: NamedFiles): readonly Block[] {
  if (list === undefined || list.trim() === '') return [];
  const entries = parseJson(list);
  if (!Array.isArray(entries)) return [{ type: 'text', text: '[the list of embedded files is not JSON]' }];
  return entries.map((entry: unknown) => blockOf(entry, files));
}

function blockOf(entry: unknown, { cwd, read }: NamedFiles): Block {
  const { path, mimeType, uri, base64 } = isObject(entry) ? entry : {};
  if (typeof path !== 'string') return missing('', 'it has no path');
  let bytes: Buffer;
  try {
    if (typeof base64 === 'string') bytes = Buffer.from(base64, 'base64');
    else if (read === undefined) return missing(path, 'a tool in a sandbox must read its files itself');
    else bytes = read(resolve(cwd, path));
  } catch (error) {
    return missing(path, error instanceof Error ? error.message : String(error));
  }
  const type = typeof mimeType === 'string' && mimeType !== '' ? mimeType : (lookup(path) ?? BINARY);
  const about = {
    uri: typeof uri === 'string' && uri !== '' ? uri : pathToFileURL(resolve(cwd, path)).href,
    mimeType: type,
  };
  return { type: 'resource', resource: { ...about, ...contentOf(bytes, type) } };
}

/** Text if the type says so and the bytes are valid text; base64 otherwise. */
export function contentOf(bytes: Buffer, mimeType: string): { text: string } | { blob: string } {
  if (TEXT.test(mimeType)) {
    try {
      return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
    } catch {
      // The type is wrong.
    }
  }
  return { blob: bytes.toString('base64') };
}

function missing(path: string, why: string): Block {
  return { type: 'text', text: `[${JSON.stringify(path)} was not embedded: ${why}]` };
}
