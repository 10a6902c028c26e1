import type { ChildProcess } from 'node:child_process';
import { closeSync } from 'node:fs';
import type { Readable } from 'node:stream';
import type { PipeStore, TakenPipe } from './pipe-store.js';
import { CHANNEL_FD } from './tool-environment.js';

type Stdio = 'ignore' | 'pipe' | number;

/** What a child writes. */
export interface OutputStreams {
  readonly stdout: Readable | undefined;
  readonly stderr: Readable | undefined;
  /** Where the lines of the channel do not come with `stderr`. */
  readonly channel: Readable | undefined;
}

/** The ways out of a child, made before it is there. */
export interface ChildOutput {
  /** For `spawn`. */
  readonly stdio: readonly Stdio[];
  /** The child has been started, or could not be. Call it once. */
  attach(child: ChildProcess): OutputStreams;
  /** Lets go of everything, also of what somebody still holds the other end of. */
  close(): void;
}

/** Real pipes where the store has some, the sockets of Node otherwise. */
export async function openOutput(pipes: PipeStore): Promise<ChildOutput> {
  const [stdout, stderr] = (await pipes.take([1, 2])) ?? [];
  return stdout === undefined || stderr === undefined ? new SocketOutput() : new PipeOutput(stdout, stderr);
}

class PipeOutput implements ChildOutput {
  readonly stdio: readonly Stdio[];
  readonly #stdout: TakenPipe;
  /** The second writer is for the channel: Node and others make standard error non-blocking, which would lose lines. */
  readonly #stderr: TakenPipe;
  #attached = false;

  constructor(stdout: TakenPipe, stderr: TakenPipe) {
    this.#stdout = stdout;
    this.#stderr = stderr;
    const [out = 'ignore'] = stdout.writers;
    const [err = 'ignore', channel = 'ignore'] = stderr.writers;
    this.stdio = stdioOf(out, err, channel);
  }

  /** Our copies of the other ends are closed, or the pipes would never end. */
  attach(): OutputStreams {
    this.#attached = true;
    for (const writer of [...this.#stdout.writers, ...this.#stderr.writers]) closeSync(writer);
    return { stdout: this.#stdout.reader, stderr: this.#stderr.reader, channel: undefined };
  }

  close(): void {
    if (!this.#attached) this.attach();
    for (const { reader } of [this.#stdout, this.#stderr]) reader.destroy();
  }
}

class SocketOutput implements ChildOutput {
  readonly stdio: readonly Stdio[] = stdioOf('pipe', 'pipe', 'pipe');
  #child: ChildProcess | undefined;

  attach(child: ChildProcess): OutputStreams {
    this.#child = child;
    const channel = streamsOf(child).at(CHANNEL_FD);
    return {
      stdout: child.stdout ?? undefined,
      stderr: child.stderr ?? undefined,
      channel: isReadable(channel) ? channel : undefined,
    };
  }

  close(): void {
    if (this.#child === undefined) return;
    for (const stream of streamsOf(this.#child)) stream?.destroy();
  }
}

function stdioOf(stdout: Stdio, stderr: Stdio, channel: Stdio): readonly Stdio[] {
  const between: Stdio[] = Array.from({ length: CHANNEL_FD - 3 }, () => 'ignore');
  return ['ignore', stdout, stderr, ...between, channel];
}

/** Missing if the system had no descriptors left, although the type says otherwise. */
function streamsOf(child: {
  readonly stdio?: ChildProcess['stdio'];
}): readonly ChildProcess['stdio'][number][] {
  return child.stdio ?? [];
}

function isReadable(stream: unknown): stream is Readable {
  return typeof stream === 'object' && stream !== null && 'readable' in stream && stream.readable === true;
}
