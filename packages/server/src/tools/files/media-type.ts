import { extname } from 'node:path';

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
