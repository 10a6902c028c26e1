import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

export interface ToolResult {
  readonly isError?: boolean;
  readonly content: readonly { readonly text?: string }[];
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly result?: unknown;
}

/**
 * A server in a process of its own, spoken to line by line: an SDK client costs as much as a fast server, and would
 * be part of every figure.
 */
export class StdioServer {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #pending = new Map<number, (result: unknown) => void>();
  readonly #decoder = new StringDecoder('utf8');
  #rest = '';
  #nextId = 1;
  #roots: readonly string[];

  constructor(
    args: readonly string[],
    roots: readonly string[] = [],
    environment: NodeJS.ProcessEnv = process.env,
  ) {
    this.#roots = roots;
    this.#child = spawn(process.execPath, [...args], {
      stdio: ['pipe', 'pipe', 'ignore'],
      env: { ...environment, PWD: '/' },
    });
    this.#child.stdout.on('data', (chunk: Buffer) => this.#read(this.#decoder.write(chunk)));
  }

  /** The handshake. With roots, these are declared, and given when asked for. */
  async initialize(): Promise<void> {
    await this.request('initialize', {
      protocolVersion: '2025-06-18',
      capabilities: this.#roots.length === 0 ? {} : { roots: { listChanged: true } },
      clientInfo: { name: 'bench', version: '1.0.0' },
    });
    this.#send({ method: 'notifications/initialized' });
  }

  request(method: string, params: unknown): Promise<unknown> {
    const id = this.#nextId++;
    return new Promise((resolve) => {
      this.#pending.set(id, resolve);
      this.#send({ id, method, params });
    });
  }

  /** Throws where the call fails: refusing is quick, and no measure of the work. */
  async call(name: string, args: unknown): Promise<ToolResult> {
    const result = await this.#attempt(name, args);
    if (result === undefined || result.isError === true) {
      throw new Error(`Cannot measure ${name}: ${result?.content[0]?.text ?? 'it is not known'}`);
    }
    return result;
  }

  /** Calls until it works, as a client does whose change is on its way. */
  async callUntilItWorks(name: string, args: unknown): Promise<void> {
    while ((await this.#attempt(name, args))?.isError === true);
  }

  /** Other roots from now on, and a word about it. */
  changeRoots(roots: readonly string[]): void {
    this.#roots = roots;
    this.#send({ method: 'notifications/roots/list_changed' });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Resident memory in megabytes; not a number where the system does not tell. */
  residentMegabytes(): number {
    try {
      const status = readFileSync(`/proc/${this.pid}/status`, 'utf8');
      return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1024;
    } catch {
      return Number.NaN;
    }
  }

  /** Processor time of all threads so far, in microseconds; not a number where the system does not tell. */
  processorMicroseconds(): number {
    try {
      const threads = readdirSync(`/proc/${this.pid}/task`);
      const nanoseconds = threads.map((thread) =>
        Number(readFileSync(`/proc/${this.pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
      );
      return nanoseconds.reduce((sum, each) => sum + each, 0) / 1000;
    } catch {
      return Number.NaN;
    }
  }

  async close(): Promise<void> {
    const gone = once(this.#child, 'close');
    this.#child.stdin.end();
    this.#child.kill();
    await gone;
  }

  /** Undefined where the protocol itself says no, as for a tool that is not known. */
  async #attempt(name: string, args: unknown): Promise<ToolResult | undefined> {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- both servers answer calls with tool results
    return (await this.request('tools/call', { name, arguments: args })) as ToolResult | undefined;
  }

  #send(message: object): void {
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  #read(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') this.#take(JSON.parse(line));
  }

  #take({ id, method, result }: Message): void {
    if (id === undefined) return;
    if (method === 'roots/list') {
      this.#send({ id, result: { roots: this.#roots.map((uri) => ({ uri })) } });
      return;
    }
    this.#pending.get(id)?.(result);
    this.#pending.delete(id);
  }
}
