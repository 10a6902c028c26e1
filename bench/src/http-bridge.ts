import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';

/** A program that offers a stdio server over Streamable HTTP, spoken to without an SDK. */
export class HttpBridge {
  readonly #child: ChildProcess;
  readonly #url: string;
  #session: string | undefined;
  #nextId = 1;
  /** Held, because an unreachable response is closed. */
  #stream: Response | undefined;

  private constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.#url = url;
  }

  /** Rejects where it does not answer; `args` gets the port. */
  static async start(
    args: (port: number) => readonly string[],
    env: NodeJS.ProcessEnv = {},
  ): Promise<HttpBridge> {
    const port = await freePort();
    const child = spawn(process.execPath, [...args(port)], {
      stdio: 'ignore',
      env: { ...process.env, ...env },
    });
    const bridge = new HttpBridge(child, `http://127.0.0.1:${port}/mcp`);
    const ended = once(child, 'exit').then(() => Promise.reject(new Error('Cannot start: it ended')));
    try {
      await Promise.race([bridge.#introduce(), ended]);
    } catch (error) {
      child.kill();
      throw error;
    }
    ended.catch(() => undefined);
    return bridge;
  }

  /** One more session with the same program. */
  async another(): Promise<HttpBridge> {
    const session = new HttpBridge(this.#child, this.#url);
    await session.#introduce();
    return session;
  }

  get sessionId(): string {
    return this.#session ?? '';
  }

  /** Whether a session, opened here or with another program, is served. */
  async accepts(session: string): Promise<boolean> {
    const bridge = new HttpBridge(this.#child, this.#url);
    bridge.#session = session;
    const { ok, status, body } = await bridge.#send({ id: 1, method: 'ping' });
    await body?.cancel();
    if (!ok && status !== 404) throw new Error(`Cannot measure: HTTP ${status}`);
    return ok;
  }

  /** Resident memory of the program and what it started; not a number where the system does not tell. */
  treeMegabytes(): number {
    const { pid } = this.#child;
    return pid === undefined ? Number.NaN : treeKilobytes(pid) / 1024;
  }

  /** Asks a program that has `heap-probe.js` for the bytes of its heap, which it writes to this file. */
  async heapBytes(file: string): Promise<number> {
    rmSync(file, { force: true });
    this.#child.kill('SIGUSR2');
    for (;;) {
      const said = existsSync(file) ? readFileSync(file, 'utf8') : '';
      if (said.endsWith('\n')) return Number(said);
      if (this.#child.exitCode !== null || this.#child.signalCode !== null)
        throw new Error('Cannot measure the heap: the program has ended');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Processor time of the program alone, in hundredths of a second as Linux counts it. */
  cpuMilliseconds(): number {
    const stat = readFileSync(`/proc/${this.#child.pid}/stat`, 'utf8');
    // The name of a program may hold anything, also blanks; the figures stand behind it.
    const figures = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(figures[11]) + Number(figures[12])) * 10;
  }

  /** The length of the answer, which is never empty. */
  async call(name: string, args: unknown): Promise<number> {
    const text = await this.#post({
      id: this.#nextId++,
      method: 'tools/call',
      params: { name, arguments: args },
    });
    if (!text.includes('"result"')) throw new Error(`Cannot measure ${name}: ${text.slice(0, 200)}`);
    return text.length;
  }

  /** Keeps a stream open on which nothing comes. */
  async listen(): Promise<void> {
    this.#stream = await fetch(this.#url, {
      headers: { Accept: 'text/event-stream', 'Mcp-Session-Id': this.sessionId },
    });
    if (!this.#stream.ok) throw new Error(`Cannot listen: HTTP ${this.#stream.status}`);
  }

  async close(): Promise<void> {
    const gone = once(this.#child, 'exit');
    this.#child.kill();
    await gone;
  }

  async #introduce(): Promise<void> {
    const clientInfo = { name: 'bench', version: '1.0.0' };
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
    const deadline = Date.now() + 20_000;
    for (;;) {
      try {
        await this.#post({ id: this.#nextId++, method: 'initialize', params });
        break;
      } catch (error) {
        if (Date.now() > deadline) throw error;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
    await this.#post({ method: 'notifications/initialized' });
  }

  async #post(message: object): Promise<string> {
    const response = await this.#send(message);
    this.#session ??= response.headers.get('mcp-session-id') ?? undefined;
    if (!response.ok) throw new Error(`Cannot measure: HTTP ${response.status}`);
    return response.text();
  }

  #send(message: object): Promise<Response> {
    return fetch(this.#url, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        ...(this.#session !== undefined && { 'Mcp-Session-Id': this.#session }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    });
  }
}

function treeKilobytes(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    const below = children === '' ? [] : children.split(' ').map((child) => treeKilobytes(Number(child)));
    return below.reduce((sum, each) => sum + each, Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]));
  } catch {
    return Number.NaN;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
