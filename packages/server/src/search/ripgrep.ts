import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { parse } from 'node:path';
import type { Readable } from 'node:stream';
import type { ChildRegistry } from '@rootward/mcp';
import type { LinePattern } from './line-pattern.js';
import type { PatternTurns } from './pattern-turns.js';

/** What a search needs of the call that asks for it. */
export interface SearchContext {
  /** Children that must not outlive the process. */
  readonly children: ChildRegistry;
  readonly signal: AbortSignal;
  /** On whose behalf; empty without authentication. */
  readonly principal: string;
  /** Shared by all searches of the process. */
  readonly patternTurns: PatternTurns;
}

const FLAGS = [
  '--no-config',
  '--no-messages',
  '--no-ignore',
  '--hidden',
  '--text',
  '--fixed-strings',
  '--files-with-matches',
  '--null',
];
/**
 * Letters whose other case ripgrep may not know: Unicode goes on adding pairs, and ripgrep may be older than Node. To
 * those of Latin, Greek, Cyrillic and Armenian that are left out here, none was added since Unicode 9.
 */
const NEWER_CASE = /(?![\0-\u{17F}\u{370}-\u{587}])[\p{Lu}\p{Ll}\p{Lt}]/u;
/** ripgrep's codes for "found" and "found nothing"; any other means that it may have missed something. */
const COMPLETE: ReadonlySet<number | null> = new Set([0, 1]);

/**
 * The files that contain the pattern's literal, by ripgrep, or undefined where it cannot say for sure. It only saves
 * reading the others: what it says is never shown, and whatever it names is read through the scope and matched again.
 */
export async function filesWithLiteral(
  program: string,
  { literal, ignoreCase }: LinePattern,
  files: readonly string[],
  { children, signal }: Pick<SearchContext, 'children' | 'signal'>,
): Promise<ReadonlySet<string> | undefined> {
  if (literal === undefined || literal.includes('\n')) return undefined;
  // Half of a character pair cannot be an argument.
  if (!literal.isWellFormed()) return undefined;
  if (ignoreCase && NEWER_CASE.test(literal)) return undefined;
  const options = [...FLAGS, ...(ignoreCase ? ['--ignore-case'] : []), `--regexp=${literal}`];
  const child = start(program, [...options, '--', ...files], signal);
  if (child === undefined) return undefined;
  const registration = children.add(child);
  try {
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    await once(child, 'close');
    if (!COMPLETE.has(child.exitCode)) return undefined;
    return new Set(Buffer.concat(chunks).toString('utf8').split('\0'));
  } catch {
    signal.throwIfAborted();
    return undefined;
  } finally {
    registration[Symbol.dispose]();
  }
}

/** Undefined where the system takes no such command line: too long, or with a character that none can have. */
function start(
  program: string,
  args: readonly string[],
  signal: AbortSignal,
): ChildProcessByStdio<null, Readable, null> | undefined {
  try {
    return spawn(program, args, {
      cwd: parse(program).root,
      env: {},
      stdio: ['ignore', 'pipe', 'ignore'],
      windowsHide: true,
      signal,
    });
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}
