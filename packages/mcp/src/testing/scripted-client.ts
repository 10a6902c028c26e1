import { RootwardMcpError } from '../error.js';
import { isObject, LineSplitter } from '@rootward/core/platform';
import { readMessage } from '../stdio/message.js';
import type { JsonRpcAnswer, JsonRpcMessage, JsonRpcRequest, RequestId } from '../stdio/message.js';
import type { Connection } from './connection.js';
import { inputRequestsFor, modernMeta } from './modern.js';
import type { AskedForRoots, RootsScript } from './roots-script.js';

/** Which client a `ScriptedClient` plays. */
export interface ScriptedClientOptions {
  /** `legacy` opens with `initialize`; `modern` puts what it declares into every request. */
  readonly era?: 'legacy' | 'modern';
  readonly protocolVersion?: string;
  /** What to do when asked for roots. Without it, roots are not declared. */
  readonly roots?: RootsScript;
  /** Declare roots without a script, or do not declare them although there is one. */
  readonly declareRoots?: boolean;
  readonly listChanged?: boolean;
  /** Further capabilities to declare. */
  readonly capabilities?: Readonly<Record<string, unknown>>;
  readonly clientInfo?: { readonly name: string; readonly version: string };
}

/** Options of one request of a `ScriptedClient`. */
export interface RequestOptions {
  /** Cancels the request, as a client does. */
  readonly signal?: AbortSignal;
  /** Goes into `_meta` of the request. */
  readonly meta?: Readonly<Record<string, unknown>>;
}

/** The server answered with an error. */
export class ScriptedClientError extends Error {
  override readonly name = 'ScriptedClientError';
  readonly code: number;
  readonly data: unknown;

  constructor(error: { readonly code: number; readonly message: string; readonly data?: unknown }) {
    super(error.message);
    this.code = error.code;
    this.data = error.data;
  }
}

/** A result as it came over the wire, unchecked. */
export type Result = { readonly [key: string]: unknown };

interface Pending {
  resolve(result: Result): void;
  reject(error: Error): void;
}

const LEGACY_REVISION = '2025-11-25';
const MODERN_REVISION = '2026-07-28';
const NO_LIMIT = Number.POSITIVE_INFINITY;

/**
 * A client that does what a test tells it to, byte for byte: it speaks either era without an SDK, counts how often it
 * is asked for roots, and answers now, late, never, wrongly or out of order.
 */
export class ScriptedClient {
  /** Every question for roots so far, in order. Answer any of them at any time. */
  readonly asked: AskedForRoots[] = [];
  /** Every message received, in order. */
  readonly received: JsonRpcMessage[] = [];
  readonly #connection: Connection;
  readonly #options: ScriptedClientOptions;
  readonly #pending = new Map<RequestId, Pending>();
  readonly #lines = new LineSplitter({ line: (bytes) => this.#read(bytes.toString('utf8')) }, NO_LIMIT);
  readonly #watchers = new Set<() => void>();
  #script: RootsScript | undefined;
  #nextId = 1;
  /** Why nothing comes any more. */
  #failure: RootwardMcpError | undefined;

  constructor(connection: Connection, options: ScriptedClientOptions = {}) {
    this.#connection = connection;
    this.#options = options;
    this.#script = options.roots;
    connection.input.on('data', (chunk: Buffer) => this.#lines.push(chunk));
    connection.ended.then(
      () => this.#fail('closed', 'Cannot get an answer: the server ended the connection'),
      (cause: unknown) => this.#fail('closed', 'Cannot get an answer: the server did not start', cause),
    );
  }

  get era(): 'legacy' | 'modern' {
    return this.#options.era ?? 'legacy';
  }

  /** The capabilities this client declares. */
  get capabilities(): Result {
    const declares = this.#options.declareRoots ?? this.#options.roots !== undefined;
    const { listChanged } = this.#options;
    const roots = listChanged === undefined ? {} : { listChanged };
    return { ...(declares && { roots }), ...this.#options.capabilities };
  }

  /** Legacy: the handshake. Modern: `server/discover`. Resolves with the server's answer. */
  async connect(): Promise<Result> {
    if (this.era === 'modern') return this.request('server/discover');
    const result = await this.request('initialize', this.initializeParams());
    this.notify('notifications/initialized');
    return result;
  }

  initializeParams(): Result {
    return {
      protocolVersion: this.#options.protocolVersion ?? LEGACY_REVISION,
      capabilities: this.capabilities,
      clientInfo: this.#clientInfo(),
    };
  }

  callTool(name: string, args: Result = {}, options: RequestOptions = {}): Promise<Result> {
    return this.call('tools/call', { name, arguments: args }, options);
  }

  /**
   * A request whose `input_required` results are answered by the script, as often as they ask for roots. One that asks
   * for other things only is returned as it is.
   */
  async call(method: string, params: Result = {}, options: RequestOptions = {}): Promise<Result> {
    let result = await this.request(method, params, options);
    while (result['resultType'] === 'input_required') {
      const keys = inputRequestsFor(result, 'roots/list');
      if (keys.length === 0) return result;
      const inputResponses: Record<string, unknown> = {};
      for (const key of keys) {
        const answer = await this.#answerInput();
        if (answer !== undefined) inputResponses[key] = answer.value;
      }
      const { requestState } = result;
      const retry = { ...params, inputResponses, ...(requestState !== undefined && { requestState }) };
      result = await this.request(method, retry, options);
    }
    return result;
  }

  /** One request; on modern, an `input_required` result is returned as it is. */
  request(method: string, params: Result = {}, options: RequestOptions = {}): Promise<Result> {
    const id = this.#nextId++;
    return this.expect(id, () => this.send(this.prepare(id, method, params, options.meta)), options.signal);
  }

  /** The message of a request without sending it, for tests that arrange bytes themselves. */
  prepare(id: RequestId, method: string, params: Result = {}, meta: Result = {}): JsonRpcRequest {
    const own = isObject(params['_meta']) ? params['_meta'] : {};
    const envelope =
      this.era === 'modern'
        ? modernMeta(this.#options.protocolVersion ?? MODERN_REVISION, this.#clientInfo(), this.capabilities)
        : {};
    const merged = { ...envelope, ...own, ...meta };
    const body = Object.keys(merged).length === 0 ? params : { ...params, _meta: merged };
    return { jsonrpc: '2.0', id, method, params: body };
  }

  /** Waits for the answer to the request with this id, which `send` puts on the wire. */
  expect(id: RequestId, send: () => void, signal?: AbortSignal): Promise<Result> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      if (this.#failure !== undefined) throw this.#failure;
      this.#pending.set(id, { resolve, reject });
      signal?.addEventListener('abort', () => {
        if (!this.#pending.delete(id)) return;
        this.notify('notifications/cancelled', { requestId: id });
        reject(signal.reason instanceof Error ? signal.reason : new Error(String(signal.reason)));
      });
      send();
    });
  }

  notify(method: string, params?: Result): void {
    this.send(params === undefined ? { jsonrpc: '2.0', method } : { jsonrpc: '2.0', method, params });
  }

  /** Says that the roots changed, as often as told, in one chunk. With a script, answers by it from now on. */
  changeRoots(script?: RootsScript, times = 1): void {
    if (script !== undefined) this.#script = script;
    const notification = { jsonrpc: '2.0', method: 'notifications/roots/list_changed' } as const;
    this.send(...Array.from({ length: times }, () => notification));
  }

  /** Puts messages, batches or plain nonsense on the wire, one per line, in one chunk. */
  send(...lines: readonly unknown[]): void {
    this.sendBytes(Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join('')));
  }

  sendBytes(bytes: Buffer): void {
    this.#connection.output.write(bytes);
  }

  /** Resolves when this client has been asked for roots `count` times. */
  async whenAsked(count: number): Promise<void> {
    await this.until(() => this.asked.length >= count);
  }

  /** Resolves when `condition` holds; it is looked at after every message. Rejects when no more can come. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) {
      if (this.#failure !== undefined) throw this.#failure;
      await new Promise<void>((resolve) => {
        const watcher = (): void => {
          this.#watchers.delete(watcher);
          resolve();
        };
        this.#watchers.add(watcher);
      });
    }
  }

  /** Breaks the connection off, in the middle of a message if bytes are given. */
  drop(bytes?: Buffer): void {
    if (bytes !== undefined) this.sendBytes(bytes);
    this.#connection.output.destroy();
    this.#connection.input.destroy();
  }

  /** Closes the client's end and waits for the server to end the connection. */
  async close(): Promise<void> {
    this.#connection.output.end();
    await this.#connection.ended;
  }

  #clientInfo(): { readonly name: string; readonly version: string } {
    return this.#options.clientInfo ?? { name: 'scripted-client', version: '1.0.0' };
  }

  #fail(code: 'closed' | 'invalid-message', message: string, cause?: unknown): void {
    const failure = (this.#failure ??= new RootwardMcpError(code, message, { cause }));
    for (const pending of this.#pending.values()) pending.reject(failure);
    this.#pending.clear();
    this.#wake();
  }

  #wake(): void {
    for (const watcher of this.#watchers) watcher();
  }

  #read(line: string): void {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch (cause) {
      this.#fail('invalid-message', `Cannot read what the server wrote: ${JSON.stringify(line)}`, cause);
      return;
    }
    this.#take(value);
  }

  #take(value: unknown): void {
    for (const each of Array.isArray(value) ? value : [value]) {
      const item = readMessage(each);
      if (item.kind === 'invalid') continue;
      this.received.push(item.message);
      if (item.kind === 'answer') this.#settle(item.id, item.message);
      else if (item.kind === 'request') this.#serve(item.message);
    }
    this.#wake();
  }

  #settle(id: RequestId, answer: JsonRpcAnswer): void {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if ('result' in answer) pending?.resolve(answer.result);
    else pending?.reject(new ScriptedClientError(answer.error));
  }

  #serve(request: JsonRpcRequest): void {
    const { id } = request;
    if (request.method !== 'roots/list') {
      const error = { code: -32_601, message: 'Method not found' };
      this.send(
        request.method === 'ping' ? { jsonrpc: '2.0', id, result: {} } : { jsonrpc: '2.0', id, error },
      );
      return;
    }
    this.#ask({
      number: this.asked.length + 1,
      way: 'request',
      answer: (roots) => this.send({ jsonrpc: '2.0', id, result: { roots } }),
      answerWith: (result) => this.send({ jsonrpc: '2.0', id, result }),
      refuse: (code = -32_601, message = 'Method not found') =>
        this.send({ jsonrpc: '2.0', id, error: { code, message } }),
    });
  }

  #answerInput(): Promise<{ readonly value: unknown } | undefined> {
    return new Promise((resolve) => {
      this.#ask({
        number: this.asked.length + 1,
        way: 'input',
        answer: (roots) => resolve({ value: { roots } }),
        answerWith: (value) => resolve({ value }),
        refuse: () => resolve(undefined),
      });
    });
  }

  #ask(asked: AskedForRoots): void {
    this.asked.push(asked);
    this.#script?.(asked);
  }
}
