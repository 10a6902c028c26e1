import { extname } from 'node:path';
import type { ContentBlock } from '@modelcontextprotocol/server';
import { pathToFileUri } from '@rootward/core';
import * as z from 'zod';
import { READS } from '../framework/annotations.js';
import { defineTool, type Tool } from '../framework/define-tool.js';
import { MAX_MEDIA_BYTES } from '../../answer-size.js';

export const readMediaFile: Tool = defineTool({
  name: 'read_media_file',
  toolset: 'files',
  title: 'Read Media File',
  description:
    'Read an image, audio or other binary file as base64 with its MIME type. Other kinds come as an embedded resource. Up to 7 MB.',
  annotations: READS,
  input: () => z.object({ path: z.string() }),
  paths: ({ path }) => [path],
  handle: async (args, context) => {
    const path = context.expandHome(args.path);
    const scope = await context.workspace.scope();
    const reading = await scope.readBytes(path, {
      maxBytes: MAX_MEDIA_BYTES,
      signal: context.signal,
    });
    context.seen?.note(reading.version);
    const { bytes } = reading;
    const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
    const located = scope.locate(path).path;
    return { content: [toBlock(data, await mediaType(located), located)] };
  },
});

function toBlock(data: string, mimeType: string, path: string): ContentBlock {
  if (mimeType.startsWith('image/')) return { type: 'image', data, mimeType };
  if (mimeType.startsWith('audio/')) return { type: 'audio', data, mimeType };
  return { type: 'resource', resource: { uri: pathToFileUri(path), mimeType, blob: data } };
}

const UNKNOWN = 'application/octet-stream';

/** Where the registry's answer is not what a reader of source code expects, or not what the reference server says. */
const PREFERRED: Readonly<Record<string, string>> = {
  '.cts': 'text/typescript',
  '.flac': 'audio/flac',
  '.mp3': 'audio/mpeg',
  '.mts': 'text/typescript',
  '.ogg': 'audio/ogg',
  '.ts': 'text/typescript',
  '.wav': 'audio/wav',
};

/** By the name alone; the content is not looked at. */
export async function mediaType(path: string): Promise<string> {
  const extension = extname(path).toLowerCase();
  const preferred = PREFERRED[extension];
  if (preferred !== undefined || extension === '') return preferred ?? UNKNOWN;
  const { lookup } = await import('mrmime');
  return lookup(extension) ?? UNKNOWN;
}
