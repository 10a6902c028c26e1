import { isUtf8 } from 'node:buffer';
import type { Readable, Writable } from 'node:stream';
import { LineSplitter } from '@rootward/core/platform';
import { RootwardMcpError } from '../error.js';
import { Batches, type Placement } from './batches.js';
import { LineWriter } from './line-writer.js';
import {
  failure,
  INTERNAL_ERROR,
  INVALID_REQUEST,
  isAnswer,
  isRequest,
  malformedAnswer,
  readMessage,
} from './message.js';
import type { Incoming, JsonRpcAnswer, JsonRpcMessage, RequestId } from './message.js';

/** The streams of a `StdioTransport`, and its limits. Everything may be left out. */
export interface StdioTransportOptions {
  readonly stdin?: Readable;
  readonly stdout?: Writable;
  /** Gets one line when the connection ends because of what the client sent. */
  readonly stderr?: Writable;
  /** A longer line ends the connection. */
  readonly maxLineBytes?: number;
  /** How long the answers to requests that are under way may still be written after stdin has ended. */
  readonly lingerMs?: number;
}

/** Why a connection ended. */
export type CloseReason = 'ended' | 'broken-pipe' | 'line-too-long' | 'closed';

/** The SDKs' own limit; above it a peer is broken or hostile. */
export const MAX_LINE_BYTES: number = 10 * 1024 * 1024;
/** Leaves more than half of the second within which a server must be gone to ending children. */
export const LINGER_MS = 400;
/** Revisions on which a batch is legal, and is answered by a batch. Later ones know single messages only. */
const BATCH_REVISIONS: ReadonlySet<string> = new Set(['2024-11-05', '2025-03-26']);
/**
 * Both SDKs take as many over HTTP. The messages of a batch are handled in one go: a line full of them would keep the
 * process from hearing a signal for a minute.
 */
const MAX_BATCHED = 100;
/**
 * A busy pipe hands over up to 32 pieces at a stretch, which may hold tens of thousands of requests; only between
 * stretches are signals and timers heard.
 */
const STRETCH_MS = 50;
/** Smaller pieces hold few requests, and a single call should not wait for one more turn of the event loop. */
const LARGE_PIECE = 16 * 1024;
/** An implementation-defined server error: the client closed its end and cannot answer any more. */
const CONNECTION_CLOSED = -32_000;

/**
 * MCP over stdin and stdout, behind the `Transport` interface of both SDKs. Unlike theirs it forwards only
 * answers whose id is exactly one that was sent, turns malformed answers into errors instead of dropping them,
 * takes batches apart, answers what it can name but not serve, and lets answers under way leave after stdin ends.
 */
export class StdioTransport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JsonRpcMessage) => void;
  /** Resolves when the connection has ended. Never rejects. */
  readonly closed: Promise<CloseReason>;

  readonly #stdin: Readable;
  readonly #stdout: Writable;
  readonly #stderr: Writable;
  readonly #lines: LineSplitter;
  readonly #out: LineWriter;
  readonly #lingerMs: number;
  readonly #batches = new Batches();
  /** Ids of our own requests that wait for an answer. */
  readonly #asked = new Set<RequestId>();
  /** The client's requests without a written answer, counted because a client may reuse an id too early. */
  readonly #serving = new Map<RequestId, number>();
  #taken = 0;
  #initializeId: RequestId | undefined;
  #batchesLegal = false;
  /** When the first large piece of this turn of the event loop came. */
  #stretchSince: number | undefined;
  #resting = false;
  #state: 'new' | 'open' | 'ending' | 'closed' = 'new';
  #linger: NodeJS.Timeout | undefined;
  #resolveClosed: (reason: CloseReason) => void = () => undefined;

  constructor(options: StdioTransportOptions = {}) {
    this.#stdin = options.stdin ?? process.stdin;
    this.#stdout = options.stdout ?? process.stdout;
    this.#stderr = options.stderr ?? process.stderr;
    const limit = options.maxLineBytes ?? MAX_LINE_BYTES;
    this.#lines = new LineSplitter(
      { line: (bytes) => this.#readLine(bytes), exceeded: () => this.#endOverLine(limit) },
      limit,
    );
    this.#out = new LineWriter(this.#stdout);
    this.#lingerMs = options.lingerMs ?? LINGER_MS;
    this.closed = new Promise((resolve) => {
      this.#resolveClosed = resolve;
    });
  }

  /** How many messages have come so far, also those that wait for their turn. */
  get taken(): number {
    return this.#taken;
  }

  start(): Promise<void> {
    if (this.#state !== 'new') {
      return Promise.reject(
        new RootwardMcpError('closed', `Cannot start the transport: it is ${this.#state}`),
      );
    }
    this.#state = 'open';
    this.#stdin.on('data', this.#onData);
    this.#stdin.on('end', this.#onEnd);
    this.#stdin.on('close', this.#onEnd);
    this.#stdin.on('error', this.#onEnd);
    this.#stdout.on('error', this.#onBrokenPipe);
    this.#stdout.on('close', this.#onBrokenPipe);
    if (this.#stdin.readableEnded || this.#stdin.destroyed) setImmediate(this.#onEnd);
    return Promise.resolve();
  }

  send(message: JsonRpcMessage): Promise<void> {
    if (this.#state === 'closed') {
      return Promise.reject(new RootwardMcpError('closed', 'Cannot send: the connection is closed'));
    }
    if (isAnswer(message)) return this.#sendAnswer(message);
    if (isRequest(message)) {
      if (this.#state === 'ending') {
        queueMicrotask(() => this.onmessage?.(connectionClosed(message.id)));
        return Promise.resolve();
      }
      this.#asked.add(message.id);
    } else if (message.method === 'notifications/cancelled') {
      const id = message.params?.['requestId'];
      if (typeof id === 'string' || typeof id === 'number') this.#asked.delete(id);
    }
    this.#out.gather();
    return this.#out.write(JSON.stringify(message));
  }

  close(): Promise<void> {
    this.#close('closed');
    return Promise.resolve();
  }

  #close(reason: CloseReason): void {
    if (this.#state === 'closed') return;
    const started = this.#state !== 'new';
    this.#state = 'closed';
    clearTimeout(this.#linger);
    this.#stdin.off('data', this.#onData);
    this.#stdin.off('end', this.#onEnd);
    this.#stdin.off('close', this.#onEnd);
    this.#stdout.off('close', this.#onBrokenPipe);
    // The error listeners stay: an EPIPE that arrives after closing must not crash the process.
    if (started && this.#stdin.listenerCount('data') === 0) this.#stdin.pause();
    this.#lines.clear();
    this.onclose?.();
    this.#resolveClosed(reason);
  }

  readonly #onData = (chunk: Buffer | string): void => {
    if (chunk.length >= LARGE_PIECE) this.#restWhenLong();
    this.#lines.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
  };

  #endOverLine(limit: number): void {
    if (this.#state !== 'open') return;
    const reason = `Cannot read message: its line exceeds ${String(limit)} bytes`;
    this.#report(new RootwardMcpError('line-too-long', reason));
    this.#stderr.write(`${reason}; the connection is closed\n`);
    this.#close('line-too-long');
  }

  /** How long earlier pieces took is known when the next one comes: their requests are served in between. */
  #restWhenLong(): void {
    if (this.#stretchSince === undefined) {
      this.#stretchSince = performance.now();
      setImmediate(() => {
        this.#stretchSince = undefined;
        if (this.#resting && this.#state === 'open') this.#stdin.resume();
        this.#resting = false;
      });
    } else if (performance.now() - this.#stretchSince > STRETCH_MS) {
      this.#resting = true;
      this.#stdin.pause();
    }
  }

  /** Waits, bounded, for answers under way, so that a file of requests that is piped in gets its answers. */
  readonly #onEnd = (): void => {
    if (this.#state !== 'open') return;
    this.#state = 'ending';
    const asked = [...this.#asked];
    this.#asked.clear();
    for (const id of asked) this.#deliver(connectionClosed(id));
    this.#linger = setTimeout(() => this.#close('ended'), this.#lingerMs);
    this.#closeIfServed();
  };

  readonly #onBrokenPipe = (): void => {
    this.#close('broken-pipe');
  };

  #readLine(line: Buffer): void {
    // What came in one piece with the end of the connection is not read any more.
    if (this.#state !== 'open') return;
    const text = line.toString('utf8').trim();
    if (text === '') return;
    // Decoding leaves this character where bytes are not UTF-8. V8 knows at once that plain text does not hold it.
    const valid = !text.includes('\u{FFFD}') || isUtf8(line);
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (cause) {
      this.#report(new RootwardMcpError('invalid-message', 'Cannot read message: not JSON', { cause }));
      return;
    }
    if (Array.isArray(value)) {
      if (value.length > MAX_BATCHED) {
        this.#refuseBatch();
        return;
      }
      const items = value.map((item) => readMessage(item));
      this.#takeBatch(valid ? items : items.map((item) => notUtf8(item)));
      return;
    }
    const item = readMessage(value);
    this.#take(valid ? item : notUtf8(item));
  }

  /** As a whole and without an id: reading the ids would be the very work that is refused. */
  #refuseBatch(): void {
    const problem = `Cannot serve batch: it holds more than ${String(MAX_BATCHED)} messages`;
    this.#report(new RootwardMcpError('invalid-message', problem));
    const error = { code: INVALID_REQUEST, message: problem };
    this.#writeQuietly(JSON.stringify({ jsonrpc: '2.0', id: null, error }));
  }

  #takeBatch(items: readonly Incoming[]): void {
    if (items.length === 0) {
      this.#report(new RootwardMcpError('invalid-message', 'Cannot read message: the batch is empty'));
      return;
    }
    if (!this.#batchesLegal) {
      for (const item of items) this.#take(item);
      return;
    }
    const batch = this.#batches.open(items);
    for (const item of batch.items) {
      if (item.kind !== 'invalid') this.#take(item);
    }
    if (batch.answers.length > 0) this.#writeQuietly(JSON.stringify(batch.answers));
  }

  #take(item: Incoming): void {
    this.#taken += 1;
    switch (item.kind) {
      case 'request': {
        const { id, method } = item.message;
        this.#serving.set(id, (this.#serving.get(id) ?? 0) + 1);
        if (method === 'initialize') this.#initializeId = id;
        this.#deliver(item.message);
        return;
      }
      case 'notification':
        if (item.message.method === 'notifications/cancelled') this.#cancelled(item.message.params);
        this.#deliver(item.message);
        return;
      case 'answer':
        if (this.#asked.delete(item.id)) this.#deliver(item.message);
        else {
          const id = JSON.stringify(item.id);
          this.#report(
            new RootwardMcpError(
              'unexpected-answer',
              `Cannot use the answer: nothing was asked with id ${id}`,
            ),
          );
        }
        return;
      case 'invalid': {
        const problem = `Cannot serve request: ${item.problem}`;
        this.#report(new RootwardMcpError('invalid-message', problem));
        if (item.id !== undefined) {
          this.#writeQuietly(JSON.stringify(failure(item.id, INVALID_REQUEST, problem)));
        }
      }
    }
  }

  #cancelled(params: { readonly [key: string]: unknown } | undefined): void {
    const id = params?.['requestId'];
    if (typeof id !== 'string' && typeof id !== 'number') return;
    this.#served(id);
    const placement = this.#batches.cancel(id);
    if (placement.kind === 'complete' && placement.answers.length > 0) {
      this.#writeQuietly(JSON.stringify(placement.answers));
    }
  }

  async #sendAnswer(answer: JsonRpcAnswer): Promise<void> {
    if (answer.id !== undefined && answer.id === this.#initializeId && 'result' in answer) {
      this.#initializeId = undefined;
      const revision = answer.result['protocolVersion'];
      this.#batchesLegal = typeof revision === 'string' && BATCH_REVISIONS.has(revision);
    }
    // The answer to the only request under way would wait for the end of the turn and share its system call with nothing.
    if (this.#serving.size > 1) this.#out.gather();
    try {
      await this.#writePlaced(answer, this.#batches.place(answer));
    } finally {
      if (answer.id !== undefined) this.#served(answer.id);
      this.#closeIfServed();
    }
  }

  #writePlaced(answer: JsonRpcAnswer, placement: Placement): Promise<void> {
    if (placement.kind === 'held') return Promise.resolve();
    if (placement.kind === 'single') return this.#out.write(answerText(answer));
    return this.#out.write(`[${placement.answers.map((each) => answerText(each)).join(',')}]`);
  }

  #served(id: RequestId): void {
    const count = this.#serving.get(id) ?? 0;
    if (count > 1) this.#serving.set(id, count - 1);
    else this.#serving.delete(id);
  }

  #closeIfServed(): void {
    if (this.#state === 'ending' && this.#serving.size === 0) this.#close('ended');
  }

  #writeQuietly(text: string): void {
    this.#out.write(text).catch((error: unknown) => this.#report(error));
  }

  #deliver(message: JsonRpcMessage): void {
    try {
      this.onmessage?.(message);
    } catch (error) {
      this.#report(error);
    }
  }

  #report(error: unknown): void {
    this.onerror?.(error instanceof Error ? error : new Error(String(error)));
  }
}

/** A result that JSON cannot express would leave its request unanswered. */
function answerText(answer: JsonRpcAnswer): string {
  try {
    return JSON.stringify(answer);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    return JSON.stringify({
      jsonrpc: '2.0',
      id: answer.id,
      error: { code: INTERNAL_ERROR, message: `Cannot send the result: ${reason}` },
    });
  }
}

function connectionClosed(id: RequestId): JsonRpcAnswer {
  return failure(id, CONNECTION_CLOSED, 'Cannot answer: the client closed the connection');
}

/** Bytes that are not UTF-8 would reach a handler as replacement characters, so such a message is not served. */
function notUtf8(item: Incoming): Incoming {
  const problem = 'it is not valid UTF-8';
  if (item.kind === 'answer') {
    return { kind: 'answer', id: item.id, message: malformedAnswer(item.id, problem) };
  }
  return { kind: 'invalid', id: item.kind === 'request' ? item.message.id : undefined, problem };
}
