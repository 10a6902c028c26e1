import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** A server over a pipe. `answer` gets each of its requests, and the function that sends the result. */
export class StdioServer {
  #child;
  #limitMs;
  #waiting = new Map();
  #id = 0;

  constructor([program, ...args], options, { limitMs, answer }) {
    this.#limitMs = limitMs;
    this.#child = spawn(program, args, { ...options, stdio: ['pipe', 'pipe', 'ignore'] });
    this.#child.stdin.on('error', () => undefined);
    createInterface({ input: this.#child.stdout }).on('line', (line) => this.#read(line, answer));
  }

  /** The whole answer, result or error; undefined where none comes in time. */
  ask(method, params) {
    this.#id += 1;
    const id = this.#id;
    return new Promise((settle) => {
      const timer = setTimeout(() => settle(undefined), this.#limitMs);
      this.#waiting.set(id, (message) => {
        clearTimeout(timer);
        settle(message);
      });
      this.#send({ id, method, params });
    });
  }

  notify(method) {
    this.#send({ method });
  }

  /** By closing its input: mcp-bash, when it is killed, leaves processes behind that go on looking for changes. */
  async end() {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit', { signal: AbortSignal.timeout(this.#limitMs) });
    this.#child.stdin.end();
    await ended.catch(() => this.#child.kill('SIGKILL'));
  }

  #send(message) {
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  #read(line, answer) {
    let message;
    try {
      message = JSON.parse(line);
    } catch {
      return;
    }
    if (message.method === undefined) this.#waiting.get(message.id)?.(message);
    else if (message.id !== undefined) answer(message, (result) => this.#send({ id: message.id, result }));
  }
}
