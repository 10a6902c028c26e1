import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { ProcessGuard } from '@rootward/mcp/host';
import { ModernFront } from '../modern/front.js';
import { isModern } from '../wire/envelope.js';
import type { Outer } from '../session/outer.js';
import { Session } from '../session/session.js';
import type { SessionOptions } from '../session/session-options.js';
import type { RawMessage } from '../wire/raw-message.js';
import { ClientStream } from './client-stream.js';
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

/** How long answers under way may still be written after stdin has ended. */
const LINGER_MS = 400;

interface Side {
  receive(message: RawMessage): void;
  readonly session: Session;
}

/** Runs a server behind stdin and stdout until the client leaves; then this process ends, with all its children. */
export function wrapStdio(options: WrapStdioOptions): void {
  const { stdin = process.stdin, stdout = process.stdout, stderr = process.stderr } = options;
  const guard = options.guard ?? new ProcessGuard();
  const emptyFolder = makeEmptyFolder();
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

/** Made on first use, and removed with this process. */
function makeEmptyFolder(): () => string {
  let folder: string | undefined;
  return () => {
    if (folder !== undefined) return folder;
    const made = mkdtempSync(join(tmpdir(), 'rootward-wrap-'));
    folder = made;
    process.once('exit', () => rmSync(made, { recursive: true, force: true }));
    return made;
  };
}
