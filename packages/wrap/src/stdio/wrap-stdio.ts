import type { Readable, Writable } from 'node:stream';
import { LineSplitter } from '@rootward/core/platform';
import { LINGER_MS, MAX_LINE_BYTES, ProcessGuard } from '@rootward/mcp/host';
import { ModernFront } from '../modern/front.js';
import { isModern } from '../wire/envelope.js';
import type { Outer } from '../session/outer.js';
import { Session } from '../session/session.js';
import type { SessionOptions } from '../session/session-options.js';
import { ambiguity, RawMessage, writeMessage } from '../wire/raw-message.js';
import { scanArray } from '../wire/scan-json.js';
import { emptyFolderOnUse } from '../inner/empty-folder.js';
import { noiseTo } from './noise.js';

/** How a server is wrapped over stdin and stdout. */
export interface WrapStdioOptions extends Pick<
  SessionOptions,
  'prepared' | 'template' | 'policy' | 'filter' | 'log' | 'contain' | 'watch' | 'shown' | 'observer'
> {
  /** Where this process was started. */
  readonly directory?: string;
  readonly guard?: ProcessGuard;
  readonly stdin?: Readable;
  readonly stdout?: Writable;
  readonly stderr?: Writable;
}

const MAX_BACKLOG_BYTES = 512 * 1024;
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;

interface Side {
  receive(message: RawMessage): void;
  readonly session: Session;
}

/** Runs a server behind stdin and stdout until the client leaves; then this process ends, with all its children. */
export function wrapStdio(options: WrapStdioOptions): void {
  const { stdin = process.stdin, stdout = process.stdout, stderr = process.stderr } = options;
  const guard = options.guard ?? new ProcessGuard();
  const emptyFolder = emptyFolderOnUse();
  let side: Side | undefined;
  let leaving = false;
  const leave = (code: number): void => void guard.shutdown(code);

  const stream = new ClientStream(stdin, stdout, {
    message: (message) => {
      side ??= connect(message);
      side.receive(message);
    },
    blocked: (isBlocked) => (isBlocked ? side?.session.pause() : side?.session.resume()),
    ended: (reason) => {
      if (reason === 'line-too-long') {
        stderr.write('rootward: Cannot read message: its line is too long; the connection is closed\n');
      }
      leaving = true;
      if (reason !== 'ended' || side?.session.busy !== true) leave(reason === 'line-too-long' ? 1 : 0);
      else setTimeout(() => leave(0), LINGER_MS);
    },
  });
  const outer: Outer = {
    send: (pieces) => {
      stream.send(pieces);
      leaveWhenDone();
    },
  };
  // Looked at when whoever sends has noted that this one is answered.
  function leaveWhenDone(): void {
    if (leaving) setImmediate(() => side?.session.busy !== true && leave(0));
  }
  guard.onShutdown(() => side?.session.close());

  function connect(first: RawMessage): Side {
    const modern = isModern(first);
    const settings: SessionOptions = {
      ...options,
      transport: 'local',
      era: modern ? 'modern' : 'legacy',
      children: guard.children,
      noise: noiseTo(stderr),
      emptyFolder,
      directory: options.directory ?? process.cwd(),
      flow: stream,
    };
    if (modern) return new ModernFront(outer, settings);
    const session = new Session(outer, settings);
    return { session, receive: (message) => session.receive(message) };
  }
}

/** What happens on the way to the client. */
interface ClientStreamEvents {
  message(message: RawMessage): void;
  /** The client does not read fast enough, or does again. */
  blocked(isBlocked: boolean): void;
  ended(reason: 'ended' | 'broken-pipe' | 'line-too-long'): void;
}

/** A client over stdin and stdout. */
class ClientStream implements Outer {
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
        exceeded: () => this.#end('line-too-long'),
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
