import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

/** What a tool answered, as far as the tour shows it. */
export interface DemoAnswer {
  readonly refused: boolean;
  readonly text: string;
}

export interface DemoOptions {
  readonly command: readonly [program: string, ...args: string[]];
  readonly environment: NodeJS.ProcessEnv;
  readonly directory: string;
  /** What the client answers when it is asked for its folders; never, where it is undefined. */
  readonly folders: readonly string[] | undefined;
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly result?: { readonly content?: readonly { readonly text?: string }[]; readonly isError?: boolean };
  readonly error?: { readonly message: string };
}

const REVISION = '2025-11-25';

/** A client with just what the tour needs: it introduces itself, has folders, and calls tools. */
export class DemoClient implements AsyncDisposable {
  readonly #child;
  readonly #folders: readonly string[] | undefined;
  readonly #waiting = new Map<number, (message: Message) => void>();
  readonly #ended: Promise<void>;
  #lastId = 0;
  #asked = 0;

  private constructor({ command: [program, ...args], environment, directory, folders }: DemoOptions) {
    this.#folders = folders;
    this.#child = spawn(program, args, {
      cwd: directory,
      env: environment,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    this.#child.stdin.on('error', () => undefined);
    this.#ended = new Promise((resolve) => {
      const end = (): void => {
        for (const answer of this.#waiting.values()) answer({ error: { message: 'The server ended' } });
        this.#waiting.clear();
        resolve();
      };
      this.#child.once('error', end).once('close', end);
    });
    createInterface({ input: this.#child.stdout }).on('line', (line) => this.#receive(line));
  }

  static async open(options: DemoOptions): Promise<DemoClient> {
    const client = new DemoClient(options);
    await client.#request('initialize', {
      protocolVersion: REVISION,
      capabilities: { roots: { listChanged: true } },
      clientInfo: { name: 'demo', version: '1.0.0' },
    });
    client.#send({ method: 'notifications/initialized' });
    return client;
  }

  /** How often the server asked for the folders. */
  get asked(): number {
    return this.#asked;
  }

  async call(name: string, args: object = {}, meta: object = {}): Promise<DemoAnswer> {
    const { result, error } = await this.#request('tools/call', { name, arguments: args, _meta: meta });
    if (error !== undefined) return { refused: true, text: error.message };
    return { refused: result?.isError === true, text: result?.content?.[0]?.text ?? '' };
  }

  announceFolders(): void {
    this.#send({ method: 'notifications/roots/list_changed' });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.stdin.end();
    await this.#ended;
  }

  #request(method: string, params: object): Promise<Message> {
    const id = ++this.#lastId;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#send({ id, method, params });
    });
  }

  #send(message: object): void {
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  #receive(line: string): void {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the server is our own
    const message = JSON.parse(line) as Message;
    const { id, method } = message;
    if (id === undefined) return;
    if (method === undefined) {
      this.#waiting.get(id)?.(message);
      this.#waiting.delete(id);
    } else if (method === 'roots/list') {
      this.#asked++;
      if (this.#folders === undefined) return;
      this.#send({ id, result: { roots: this.#folders.map((path) => ({ uri: pathToFileURL(path).href })) } });
    } else {
      this.#send({ id, error: { code: -32601, message: `Method ${method} is not supported` } });
    }
  }
}
