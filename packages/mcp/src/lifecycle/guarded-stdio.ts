import type { Readable, Writable } from 'node:stream';
import { StdioTransport } from '../stdio/transport.js';
import type { ChildRegistry } from './child-registry.js';
import { ProcessGuard } from './process-guard.js';
import { protectStdout } from './protect-stdout.js';

/** How a server is served over stdin and stdout. Everything may be left out. */
export interface GuardedStdioOptions {
  /** Bring your own to register hooks and children before serving starts. */
  readonly guard?: ProcessGuard;
  readonly stdin?: Readable;
  readonly stdout?: Writable;
  readonly maxLineBytes?: number;
  /** How long answers under way may still be written after stdin has ended. Beyond 400 ms a server leaves late. */
  readonly lingerMs?: number;
}

/** A server that runs, from `serveWorkspaceStdio`. */
export interface GuardedStdio {
  /** Register what you spawn here: it is ended with this process, as a tree. */
  readonly children: ChildRegistry;
  /** Runs before the process leaves. What takes longer than 300 ms is not waited for. */
  onShutdown(hook: () => void | Promise<void>): Disposable;
  /** Ends the connection and the process. */
  close(): Promise<void>;
}

/** Ties a connection over stdin and stdout to the life of the process. `connect` returns how to close the server. */
export function guardStdio(
  options: GuardedStdioOptions,
  connect: (transport: StdioTransport) => () => Promise<void>,
): GuardedStdio {
  const guard = options.guard ?? new ProcessGuard();
  protectStdout();
  const transport = new StdioTransport(options);
  const closeServer = connect(transport);
  void transport.closed.then((reason) => guard.shutdown(reason === 'line-too-long' ? 1 : 0));
  guard.onShutdown(closeServer);
  return {
    children: guard.children,
    onShutdown: (hook) => guard.onShutdown(hook),
    close: () => guard.shutdown(),
  };
}
