import { createWriteStream } from 'node:fs';
import { rename, unlink } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { checkHost, publicLookup, Refusal } from './download-hosts.js';

/** What to fetch, and within which bounds. */
export interface DownloadOptions {
  /** An `https:` address. */
  readonly url: string;
  /** The file it is written to. */
  readonly out: string;
  /** Hosts the tool itself wants to allow: fewer than the operator does, never more. Default: those of the operator. */
  readonly allow?: readonly string[];
  readonly timeoutSecs?: number;
  readonly maxBytes?: number;
  readonly userAgent?: string;
}

/** What came of a download; it never throws. */
export type DownloadResult =
  | { readonly success: true; readonly bytes: number; readonly path: string }
  | {
      readonly success: false;
      readonly error: { readonly type: string; readonly message: string; readonly location?: string };
    };

const DEFAULT_TIMEOUT_SECS = 15;
const MAX_TIMEOUT_SECS = 60;
const DEFAULT_MAX_BYTES = 10 * 1024 * 1024;
const ATTEMPTS = 3;
const FIRST_PAUSE_MS = 500;
const OK = 200;
const REDIRECT = 300;
const CLIENT_ERROR = 400;
const SERVER_ERROR = 500;

/** What `download()` does, in a file of its own: most tools never load it. */
export async function fetchFile(options: DownloadOptions): Promise<DownloadResult> {
  try {
    const url = checkUrl(options);
    const bytes = await attempt(url, options);
    return { success: true, bytes, path: options.out };
  } catch (error) {
    const { type, location, message } =
      error instanceof Refusal ? error : new Refusal('network_error', String(error));
    return { success: false, error: { type, message, ...(location !== undefined && { location }) } };
  }
}

function checkUrl({ url, out, allow, timeoutSecs = 1, maxBytes = 1 }: DownloadOptions): URL {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol !== 'https:') throw new Refusal('invalid_url', 'the url must start with https://');
  if (out === '') throw new Refusal('invalid_params', 'the file to write is missing');
  if (!(timeoutSecs > 0) || !(maxBytes > 0)) {
    throw new Refusal('invalid_params', 'the time and the size allowed must be numbers above 0');
  }
  checkHost(parsed.hostname, allow);
  return parsed;
}

async function attempt(url: URL, options: DownloadOptions): Promise<number> {
  for (let count = 1; ; count += 1) {
    try {
      return await fetchOnce(url, options);
    } catch (error) {
      const isPassing = error instanceof Refusal && error.type === 'network_error';
      if (!isPassing || count === ATTEMPTS) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, FIRST_PAUSE_MS * 2 ** (count - 1)));
  }
}

async function fetchOnce(
  url: URL,
  { out, timeoutSecs, maxBytes, userAgent }: DownloadOptions,
): Promise<number> {
  const seconds = Math.min(timeoutSecs ?? DEFAULT_TIMEOUT_SECS, MAX_TIMEOUT_SECS);
  const response = await open(url, AbortSignal.timeout(seconds * 1000), userAgent ?? 'rootward-tool');
  const partial = `${out}.${process.pid}.part`;
  try {
    const bytes = await save(response, partial, maxBytes ?? DEFAULT_MAX_BYTES);
    await rename(partial, out).catch((error: unknown) => {
      throw new Refusal('write_error', `cannot write ${out}: ${String(error)}`);
    });
    return bytes;
  } catch (error) {
    await unlink(partial).catch(() => undefined);
    throw error;
  } finally {
    response.destroy();
  }
}

function open(url: URL, signal: AbortSignal, userAgent: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void =>
      reject(error instanceof Refusal ? error : new Refusal('network_error', error.message));
    const sent = request(url, {
      signal,
      lookup: publicLookup,
      agent: false,
      headers: { 'user-agent': userAgent },
    });
    sent.on('error', fail);
    sent.on('response', (response) => {
      const { statusCode = 0, headers } = response;
      if (statusCode >= OK && statusCode < REDIRECT) return resolve(response);
      response.destroy();
      if (statusCode >= REDIRECT && statusCode < CLIENT_ERROR) {
        return reject(new Refusal('redirect', `it leads to another address`, headers.location));
      }
      const type = statusCode >= SERVER_ERROR ? 'network_error' : 'provider_error';
      return reject(new Refusal(type, `the server answered with status ${statusCode}`));
    });
    sent.end();
  });
}

function save(response: IncomingMessage, file: string, maxBytes: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const stream = createWriteStream(file);
    let bytes = 0;
    stream.on('error', (error) => reject(new Refusal('write_error', error.message)));
    response.on('error', (error) => reject(new Refusal('network_error', error.message)));
    response.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= maxBytes) return;
      reject(new Refusal('size_exceeded', `it is larger than ${maxBytes} bytes`));
      response.destroy();
    });
    response.pipe(stream);
    stream.on('close', () => resolve(bytes));
  });
}
