import type { Readable, Writable } from 'node:stream';
import { LineSplitter } from '../wire/line-splitter.js';
import { RawMessage } from '../wire/raw-message.js';
import { ambiguity } from '../wire/same-names.js';
import { scanArray } from '../wire/scan-json.js';
import { writeMessage } from '../wire/write-message.js';
import type { Outer } from '../session/outer.js';

/** What happens on the way to the client. */
export interface ClientStreamEvents {
  message(message: RawMessage): void;
  /** The client does not read fast enough, or does again. */
  blocked(isBlocked: boolean): void;
  ended(reason: 'ended' | 'broken-pipe' | 'line-too-long'): void;
}

/** As for any rootward server. */
const MAX_LINE_BYTES = 10 * 1024 * 1024;
const MAX_BACKLOG_BYTES = 512 * 1024;
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;

/** A client over stdin and stdout. */
export class ClientStream implements Outer {
  readonly #stdin: Readable;
  readonly #stdout: Writable;
  readonly #events: ClientStreamEvents;
  #ended = false;

  constructor(stdin: Readable, stdout: Writable, events: ClientStreamEvents) {
    this.#stdin = stdin;
    this.#stdout = stdout;
    this.#events = events;
    const splitter = new LineSplitter(
      {
        line: (bytes) => this.#line(bytes),
        // Input that is not a message gets no answer.
        noise: () => undefined,
        tooLong: () => this.#end('line-too-long'),
      },
      MAX_LINE_BYTES,
    );
    stdin.on('data', (chunk: Buffer) => splitter.push(chunk));
    stdin.on('end', () => this.#end('ended'));
    stdin.on('error', () => this.#end('ended'));
    stdin.on('close', () => this.#end('ended'));
    stdout.on('error', () => this.#end('broken-pipe'));
    stdout.on('close', () => this.#end('broken-pipe'));
    stdout.on('drain', () => events.blocked(false));
  }

  send(pieces: readonly Buffer[]): void {
    writeMessage(this.#stdout, pieces);
    if (this.#stdout.writableLength > MAX_BACKLOG_BYTES) this.#events.blocked(true);
  }

  hold(): void {
    this.#stdin.pause();
  }

  release(): void {
    this.#stdin.resume();
  }

  #line(bytes: Buffer): void {
    if (this.#ended) return;
    const message = RawMessage.read(bytes);
    if (message !== undefined) {
      this.#events.message(message);
      return;
    }
    const batch = scanArray(bytes);
    if (batch === undefined) this.#refuse(bytes);
    else for (const { start, end } of batch) this.#line(bytes.subarray(start, end));
  }

  /** A request that can be named is told why it is not served. */
  #refuse(bytes: Buffer): void {
    let id: unknown = null;
    let code = PARSE_ERROR;
    try {
      const value: unknown = JSON.parse(bytes.toString('utf8'));
      code = INVALID_REQUEST;
      if (typeof value === 'object' && value !== null && 'id' in value && 'method' in value) ({ id } = value);
    } catch {
      // It is not JSON.
    }
    if (typeof id !== 'string' && typeof id !== 'number') return;
    const error = { code, message: `Cannot serve the request: ${faultOf(bytes)}` };
    this.send([Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, error }))]);
  }

  #end(reason: 'ended' | 'broken-pipe' | 'line-too-long'): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#events.ended(reason);
  }
}

function faultOf(bytes: Buffer): string {
  const member = RawMessage.ambiguousMember(bytes);
  return member === undefined ? 'it is not a JSON-RPC 2.0 message' : ambiguity(member);
}
