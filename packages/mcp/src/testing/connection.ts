import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { StdioTransport } from '../stdio/transport.js';

/** The client's ends of a connection. */
export interface Connection {
  readonly input: Readable;
  readonly output: Writable;
  /** Resolves when the server has ended the connection. */
  readonly ended: Promise<void>;
}

/** A connection to a server in this process, from `connectInProcess`. */
export interface InProcessConnection extends Connection {
  /** The server's end: for `serveStdio(factory, { transport })`, or for `server.connect(transport)`. */
  readonly transport: StdioTransport;
}

/** Client and server in one process, with the bytes of a real connection between them. */
export function connectInProcess(): InProcessConnection {
  const toServer = new PassThrough();
  const toClient = new PassThrough();
  const transport = new StdioTransport({
    stdin: toServer,
    stdout: toClient,
    stderr: new PassThrough().resume(),
  });
  return {
    input: toClient,
    output: toServer,
    transport,
    ended: transport.closed.then(() => undefined),
  };
}

/** How `connectToProcess` starts the server. */
export interface SpawnOptions {
  readonly args?: readonly string[];
  readonly cwd?: string;
  /** The whole environment of the server; by default that of this process. */
  readonly env?: NodeJS.ProcessEnv;
}

/** A connection to a server in a process of its own, from `connectToProcess`. */
export interface SpawnedConnection extends Connection {
  readonly process: ChildProcess;
  /** What the server has written to stderr so far. */
  stderr(): string;
  /** Resolves with the exit code, or with null if a signal ended the server. */
  readonly exit: Promise<number | null>;
}

/** A server in a process of its own, over its stdin and stdout. */
export function connectToProcess(command: string, options: SpawnOptions = {}): SpawnedConnection {
  const child = spawn(command, [...(options.args ?? [])], {
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(options.cwd !== undefined && { cwd: options.cwd }),
    ...(options.env !== undefined && { env: options.env }),
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  child.stdin.on('error', () => undefined);
  const exit = once(child, 'close').then(() => child.exitCode);
  return {
    input: child.stdout,
    output: child.stdin,
    process: child,
    stderr: () => stderr,
    exit,
    ended: exit.then(() => undefined),
  };
}
