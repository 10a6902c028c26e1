import {
  CancellationTokenSource,
  createMessageConnection,
  ErrorCodes,
  ResponseError,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-jsonrpc/node';
import type { MessageConnection } from 'vscode-jsonrpc/node';
import type { Clock } from '@rootward/core';
import { errnoOf } from '@rootward/core/platform';
import { RootwardLspError } from '../error.js';
import type { ServerProcess } from './spawn-server.js';
import { limitMessages } from './message-limit.js';
import type { RequestMethod, Requests } from './requests.js';

export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
  readonly timeout: number;
}

/** The content changed while the server worked; the protocol expects the client to ask again. */
const RETRY_CODES: ReadonlySet<number> = new Set([-32801, -32802]);
const MAX_RETRIES = 5;
/** The errors of writing to a process that is gone. */
const CLOSED_PIPE_CODES: ReadonlySet<string> = new Set(['EPIPE', 'ECONNRESET', 'ERR_STREAM_DESTROYED']);

/** The protocol over the pipes of one process. Whatever cannot be read ends the process: nothing after it can be trusted. */
export class ServerConnection {
  readonly wire: MessageConnection;
  readonly #name: string;
  readonly #clock: Clock;
  readonly #process: ServerProcess;
  /** Why the connection can no longer be used. */
  #broken: string | undefined;
  /** Called when no answer will come any more. A promise instead would keep every answer in memory until then. */
  readonly #waiting = new Set<() => void>();

  constructor(name: string, process: ServerProcess, clock: Clock) {
    this.#name = name;
    this.#clock = clock;
    this.#process = process;
    const { stdout, stdin } = process.child;
    const reader = new StreamMessageReader(stdout);
    this.wire = createMessageConnection(reader, new StreamMessageWriter(stdin));
    limitMessages(stdout, reader, (reason) => this.#breakOff(reason));
    this.wire.onError(([error]) => {
      // An error of the pipe does not say why the server ended; the exit that follows does.
      if (!isClosedPipe(error)) this.#breakOff(`it wrote what cannot be read (${error.message})`);
    });
    void this.#end(process);
    this.wire.listen();
  }

  get broken(): string | undefined {
    return this.#broken;
  }

  /** Leaves `params` out if there are none: TypeScript 7 does not accept `null` there. */
  notify(method: string, params?: unknown): void {
    if (this.#broken !== undefined) return;
    // Writing fails only when the process is gone, and then its exit is what counts.
    const sent =
      params === undefined ? this.wire.sendNotification(method) : this.wire.sendNotification(method, params);
    sent.catch(() => undefined);
  }

  /** Rejects when the answer does not come in time, when the process ends, and as soon as the signal aborts. */
  async request<Method extends RequestMethod>(
    method: Method,
    params: Requests[Method]['params'],
    options: RequestOptions,
  ): Promise<Requests[Method]['result']> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.#ask<Requests[Method]['result']>(method, params, options);
      } catch (error) {
        const retry = error instanceof ResponseError && RETRY_CODES.has(error.code) && attempt < MAX_RETRIES;
        if (!retry) throw this.#explain(method, error, options.signal);
      }
    }
  }

  async #ask<Result>(method: string, params: unknown, { signal, timeout }: RequestOptions): Promise<Result> {
    signal?.throwIfAborted();
    if (this.#broken !== undefined) throw this.#crash();
    const cancellation = new CancellationTokenSource();
    const limits = new AbortController();
    const stop = new Promise<never>((_, reject) => {
      const timer = this.#clock.setTimeout(() => {
        reject(this.#late(method, timeout));
        // A server that hangs would make every call wait that long.
        this.#breakOff(`it did not answer ${method} within ${timeout / 1000} s`);
      }, timeout);
      limits.signal.addEventListener('abort', () => timer.clear());
      signal?.addEventListener('abort', () => reject(abortReason(signal)), { signal: limits.signal });
      const ended = (): void => reject(this.#crash());
      this.#waiting.add(ended);
      limits.signal.addEventListener('abort', () => this.#waiting.delete(ended));
    });
    try {
      const { token } = cancellation;
      const answer =
        params === undefined
          ? this.wire.sendRequest<Result>(method, token)
          : this.wire.sendRequest<Result>(method, params, token);
      return await Promise.race([answer.catch((error: unknown) => this.#unlessGone(error, stop)), stop]);
    } catch (error) {
      cancellation.cancel();
      throw error;
    } finally {
      limits.abort();
      cancellation.dispose();
    }
  }

  /** Writing fails a moment before the process is seen to end; how it ended says more than that. */
  async #unlessGone(error: unknown, stop: Promise<never>): Promise<never> {
    const isUnsent = error instanceof ResponseError && error.code === ErrorCodes.MessageWriteError;
    if (isUnsent && !this.#process.child.stdin.writable) return stop;
    throw error;
  }

  async #end({ exited }: ServerProcess): Promise<void> {
    const how = await exited;
    this.#broken ??= `it ended with ${how}`;
    for (const ended of this.#waiting) ended();
    this.wire.dispose();
  }

  #explain(method: string, error: unknown, signal: AbortSignal | undefined): unknown {
    if (error instanceof RootwardLspError || signal?.aborted === true) return error;
    if (this.#broken !== undefined) return this.#crash();
    if (error instanceof ResponseError && error.code === ErrorCodes.MethodNotFound) {
      return new RootwardLspError('unsupported', `Cannot ask ${this.#name}: it does not know ${method}`);
    }
    const message = error instanceof Error ? error.message : String(error);
    return new RootwardLspError('server-error', `Cannot ask ${this.#name}: ${message}`, { cause: error });
  }

  #late(method: string, timeout: number): RootwardLspError {
    return new RootwardLspError(
      'timeout',
      `Cannot ask ${this.#name}: no answer to ${method} within ${timeout / 1000} s, so it was ended`,
      { instruction: 'Ask again: that starts it again. Reading and searching files works without it' },
    );
  }

  #crash(): RootwardLspError {
    return new RootwardLspError('crashed', `Cannot ask ${this.#name}: ${this.#broken ?? 'it ended'}`);
  }

  #breakOff(reason: string): void {
    if (this.#broken !== undefined) return;
    this.#broken = reason;
    this.#process.kill();
  }
}

function isClosedPipe(error: Error): boolean {
  return CLOSED_PIPE_CODES.has(errnoOf(error) ?? '');
}

function abortReason(signal: AbortSignal): Error {
  const { reason } = signal;
  return reason instanceof Error ? reason : new Error('The call was cancelled', { cause: reason });
}
