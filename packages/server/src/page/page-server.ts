import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { isObject } from '@rootward/core/platform';
import { TokenGate } from '../serve/http/http-access.js';
import type { ToProcess } from '../watch/protocol.js';
import type { PageFile } from './page-file.js';
import type { ProcessWatcher } from './process-watcher.js';

const MAX_BODY_BYTES = 64 * 1024;
const MAX_STREAMS = 50;
/** So that a page notices when this end is gone. */
const PING_MS = 15_000;
const LOOPBACK_NAMES: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]']);
const METHODS: ReadonlySet<string> = new Set<ToProcess['method']>([
  'ask',
  'limit',
  'lift',
  'end',
  'restart',
  'answer',
  'withdraw',
  'changes',
  'difference',
  'undo',
]);

/** For every answer: nothing is stored, framed, guessed or passed on. */
const HEADERS = {
  'Cache-Control': 'no-store',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
} as const;

export interface PageServerOptions {
  readonly file: PageFile;
  readonly token: string;
  readonly watcher: ProcessWatcher;
}

/**
 * Serves the page and what it shows. The page itself holds nothing and is given to everyone who reaches this port;
 * whatever it shows or does needs the token. Not listening yet.
 */
export function createPageServer({ file, token, watcher }: PageServerOptions): Server {
  const gate = new TokenGate([token]);
  /** Numbers of events begin anew with each server; this tells a page that its numbers are not ours. */
  const run = randomUUID();
  let streams = 0;

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [path] = (request.url ?? '').split('?', 1);
    if (path === '/' && request.method === 'GET') {
      response.writeHead(200, {
        ...HEADERS,
        'Content-Type': 'text/html; charset=utf-8',
        'Content-Security-Policy': file.policy,
      });
      response.end(file.html);
      return;
    }
    if (path !== '/stream' && path !== '/act') {
      refuse(response, 404, 'There is nothing at this address');
      return;
    }
    if (gate.admit(request.headers.authorization) === undefined) {
      refuse(response, 401, 'The token is missing or wrong');
      return;
    }
    if (path === '/stream' && request.method === 'GET') {
      if (streams >= MAX_STREAMS) {
        refuse(response, 429, 'Too many pages are open');
        return;
      }
      streams++;
      response.once('close', () => streams--);
      stream(request, response);
      return;
    }
    if (path === '/act' && request.method === 'POST') {
      await act(request, response);
      return;
    }
    refuse(response, 405, `Method ${request.method} is not supported`);
  };

  const stream = (request: IncomingMessage, response: ServerResponse): void => {
    response.writeHead(200, { ...HEADERS, 'Content-Type': 'text/event-stream' });
    const [lastRun, lastNumber] = String(request.headers['last-event-id'] ?? '').split(' ');
    const after = lastRun === run ? Number(lastNumber) || 0 : 0;
    const send = (type: string, data: unknown, number?: number): void => {
      const id = number === undefined ? '' : `id: ${run} ${number}\n`;
      response.write(`${id}event: ${type}\ndata: ${JSON.stringify(data)}\n\n`);
    };
    send('run', { run, resumed: lastRun === run });
    send('processes', watcher.processes);
    const missed = watcher.eventsAfter(after);
    if (missed.length > 0) send('events', missed, missed.at(-1)?.number);
    const watched = watcher.onDidChange((change) => {
      if (change.type === 'processes') send('processes', change.processes);
      else send('events', change.events, change.events.at(-1)?.number);
    });
    const ping = setInterval(() => response.write(': ping\n\n'), PING_MS);
    response.once('close', () => {
      clearInterval(ping);
      watched[Symbol.dispose]();
    });
  };

  const act = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const wanted = await readJson(request);
    const method = isObject(wanted) ? wanted['method'] : undefined;
    if (!isObject(wanted) || typeof method !== 'string' || !METHODS.has(method)) {
      refuse(response, 400, 'The request is not one this server knows');
      return;
    }
    const params = isObject(wanted['params']) ? wanted['params'] : {};
    try {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it is one of METHODS
      const result = await watcher.request(Number(wanted['pid']), method as ToProcess['method'], params);
      answer(response, 200, { result });
    } catch (error) {
      answer(response, 409, { error: error instanceof Error ? error.message : String(error) });
    }
  };

  return createServer((request, response) => {
    if (!isFromHere(request)) {
      refuse(response, 403, 'This address is for pages of this machine only');
      return;
    }
    serve(request, response).catch(() => {
      if (!response.headersSent) refuse(response, 500, 'The request could not be served');
      else response.destroy();
    });
  });
}

/** A name that was pointed at this machine, and requests that pages of others cause, are refused by their headers. */
function isFromHere({ headers, rawHeaders }: IncomingMessage): boolean {
  const hosts = rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === 'host').length;
  const host = (headers.host ?? '').toLowerCase();
  if (hosts !== 1 || !LOOPBACK_NAMES.has(host.replace(/:\d+$/, ''))) return false;
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
  return headers.origin === undefined || headers.origin.toLowerCase() === `http://${host}`;
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- no encoding is set
    const bytes = chunk as Buffer;
    size += bytes.length;
    if (size > MAX_BODY_BYTES) return undefined;
    chunks.push(bytes);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { ...HEADERS, 'Content-Type': 'application/json' });
  response.end(JSON.stringify(body));
}

function refuse(response: ServerResponse, status: number, error: string): void {
  answer(response, status, { error });
}
