import { lookup } from 'node:dns';
import { createWriteStream } from 'node:fs';
import { rename, unlink } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { BlockList, isIP, type LookupFunction } from 'node:net';

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

/** Addresses of this machine and of private networks, which no name on the outside may lead to. */
const PRIVATE = new BlockList();
for (const [net, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const) {
  PRIVATE.addSubnet(net, bits);
}
for (const [net, bits] of [
  ['::', 128],
  ['::1', 128],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
] as const) {
  PRIVATE.addSubnet(net, bits, 'ipv6');
}

class Refusal extends Error {
  readonly type: string;
  readonly location: string | undefined;

  constructor(type: string, message: string, location?: string) {
    super(message);
    this.type = type;
    this.location = location;
  }
}

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
  const hosts = (process.env['MCP_DOWNLOAD_HOSTS'] ?? '').split(/[\s,]+/).filter((each) => each !== '');
  const host = parsed.hostname;
  if (!hosts.some((each) => matches(each, host))) {
    const allowed = hosts.length === 0 ? 'no host' : hosts.join(', ');
    throw new Refusal(
      'host_blocked',
      `downloads from ${host} are not allowed: the operator allows ${allowed} (--download-hosts)`,
    );
  }
  if (allow !== undefined && !allow.some((each) => matches(each, host))) {
    throw new Refusal('host_blocked', `this tool does not download from ${host}`);
  }
  if (isIP(bare(host)) !== 0 && isPrivate(bare(host)) && !hosts.includes(host)) {
    throw new Refusal('host_blocked', `${host} is a private address`);
  }
  return parsed;
}

/** `*` is every public host; `.example.com` is every host below that name. */
function matches(allowed: string, host: string): boolean {
  const wanted = allowed.toLowerCase();
  return wanted === '*' || wanted === host || (wanted.startsWith('.') && host.endsWith(wanted));
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

/** The address that was checked is the one that is used: a second look-up could name another. */
const publicLookup: LookupFunction = (host, options, done) => {
  lookup(host, { ...options, all: true }, (error, addresses) => {
    const [first] = addresses ?? [];
    if (error !== null || first === undefined)
      return done(error ?? new Error(`${host} has no address`), '', 4);
    const bad = addresses.find(({ address }) => isPrivate(address));
    if (bad !== undefined) {
      return done(new Refusal('host_blocked', `${host} leads to the private address ${bad.address}`), '', 4);
    }
    return options.all === true ? done(null, addresses) : done(null, first.address, first.family);
  });
};

function isPrivate(address: string): boolean {
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return PRIVATE.check(mapped);
  return PRIVATE.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

function bare(host: string): string {
  return host.replace(/^\[|\]$/g, '');
}
