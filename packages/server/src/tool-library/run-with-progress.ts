import { spawn } from 'node:child_process';
import { progress } from './channel.js';

/** How the progress of a program is read from its error output. */
export interface ProgressOptions {
  /** Lines that tell of progress. */
  readonly pattern: RegExp;
  /** A JSON line with `progress` and `message`; the first group as a percentage; or the first group of the second. */
  readonly extract?: 'json' | 'match1' | 'ratio';
  /** What the number of `match1` is of; 100 unless said otherwise. */
  readonly total?: number;
}

/** What a program left behind. */
export interface ProgramEnd {
  readonly code: number | null;
  readonly stdout: string;
  /** Without the lines that told of progress. */
  readonly stderr: string;
}

const PERCENT = 100;

/** Runs a program and passes its progress on, line by line as it comes. */
export function runWithProgress(
  command: string,
  args: readonly string[],
  options: ProgressOptions,
): Promise<ProgramEnd> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    const stdout: Buffer[] = [];
    const others: string[] = [];
    let rest = '';
    const take = (line: string): void => {
      if (!tell(line, options) && line !== '') others.push(line);
    };
    child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = (rest + chunk).split(/\r\n|\r|\n/);
      rest = lines.pop() ?? '';
      lines.forEach(take);
    });
    child.on('error', reject);
    child.on('close', (code) => {
      take(rest);
      resolve({ code, stdout: Buffer.concat(stdout).toString('utf8'), stderr: others.join('\n') });
    });
  });
}

/** Whether the line tells of progress. One without a number still shows that the program is alive. */
function tell(line: string, { pattern, extract = 'json', total = PERCENT }: ProgressOptions): boolean {
  const match = new RegExp(pattern.source, pattern.flags.replaceAll(/[gy]/g, '')).exec(line);
  if (match === null) return false;
  const [, first, second] = match;
  if (extract === 'json') {
    const { progress: done, message } = readLine(line);
    progress(typeof done === 'number' ? done : 0, typeof message === 'string' ? message : line);
  } else if (extract === 'ratio') {
    progress(percent(Number(first), Number(second)), line);
  } else {
    progress(percent(Number(first), total), line);
  }
  return true;
}

function percent(done: number, total: number): number {
  const value = Math.floor((done * PERCENT) / total);
  return Number.isFinite(value) ? Math.min(PERCENT, Math.max(0, value)) : 0;
}

function readLine(line: string): { readonly progress?: unknown; readonly message?: unknown } {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
