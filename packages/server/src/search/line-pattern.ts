import { createContext, Script } from 'node:vm';
import { RootwardError } from '@rootward/core';
import { requiredLiteral } from './required-literal.js';

/** Expressions that backtrack can take for ever on one line, and hold up everything else meanwhile. */
const TIMEOUT_MS = 500;
/** On a busy machine, the time that has passed says little about an expression; so long it is given at most. */
const MAX_TIMEOUT_MS = 4 * TIMEOUT_MS;
/** With less of the processor than this part of its time, an expression had hardly a chance. */
const FAIR_SHARE = 0.8;
/** What is shown of a line; more is a minified file, and one line of that would fill a page. */
const SHOWN = 300;
const BEFORE_MATCH = 60;

export interface LineMatch {
  /** From 1. */
  readonly line: number;
  /** From 1, in UTF-16 units. */
  readonly column: number;
  readonly text: string;
}

/** Matching takes too long. */
export class SlowPattern extends RootwardError {
  constructor(source: string, cause: unknown) {
    super('invalid-option', `Cannot search for ${quote(source)}: matching takes too long`, {
      cause,
      instruction: 'Simplify the pattern, above all repetitions inside repetitions',
    });
  }
}

/** A regular expression that is looked for line by line, in bounded time. */
export class LinePattern {
  /** A text without this has no match. */
  readonly literal: string | undefined;
  readonly ignoreCase: boolean;
  readonly #expression: RegExp;
  readonly #literalExpression: RegExp | undefined;
  readonly #script = new Script('run()');
  readonly #sandbox: { run: () => unknown } = { run: () => undefined };

  constructor(pattern: string, ignoreCase: boolean) {
    this.ignoreCase = ignoreCase;
    this.#expression = compile(pattern, ignoreCase ? 'i' : '');
    this.literal = requiredLiteral(pattern);
    if (ignoreCase && this.literal !== undefined) {
      this.#literalExpression = new RegExp(escapeSyntax(this.literal), this.#expression.flags);
    }
    createContext(this.#sandbox);
  }

  /** The matching lines of each text. Throws `SlowPattern` when that takes too long. */
  search(texts: readonly string[]): readonly (readonly LineMatch[])[] {
    for (let timeout = TIMEOUT_MS; ; timeout *= 2) {
      const before = process.cpuUsage();
      try {
        return this.#searchWithin(timeout, texts);
      } catch (cause) {
        const { user, system } = process.cpuUsage(before);
        const starved = (user + system) / 1000 < FAIR_SHARE * TIMEOUT_MS;
        if (!starved || timeout >= MAX_TIMEOUT_MS) throw new SlowPattern(this.#expression.source, cause);
      }
    }
  }

  /** Whether a text has what every match contains. Quick, whatever the pattern is. */
  mayMatch(text: string): boolean {
    if (this.literal === undefined) return true;
    return this.#literalExpression?.test(text) ?? text.includes(this.literal);
  }

  #searchWithin(timeout: number, texts: readonly string[]): readonly (readonly LineMatch[])[] {
    const found: (readonly LineMatch[])[] = [];
    this.#sandbox.run = () => {
      for (const text of texts) found.push(this.mayMatch(text) ? searchLines(text, this.#expression) : []);
    };
    this.#script.runInContext(this.#sandbox, { timeout });
    return found;
  }
}

function escapeSyntax(literal: string): string {
  return literal.replaceAll(/[\\^$.|?*+()[\]{}]/g, String.raw`\$&`);
}

function quote(pattern: string): string {
  return JSON.stringify(pattern.length > SHOWN ? `${pattern.slice(0, SHOWN)}…` : pattern);
}

/** The engine finds out that an expression is too large only when it is used. */
function usable(expression: RegExp): RegExp {
  ''.search(expression);
  return expression;
}

/** With the `u` flag where the pattern allows it: people also write `\-` and lone braces, which it does not. */
function compile(pattern: string, flags: string): RegExp {
  try {
    return usable(new RegExp(pattern, `u${flags}`));
  } catch {
    try {
      return usable(new RegExp(pattern, flags));
    } catch (cause) {
      throw new RootwardError('invalid-option', `Cannot search for ${quote(pattern)}: it is not a pattern`, {
        cause,
        instruction: 'Pass a regular expression; put a backslash before characters that are meant literally',
      });
    }
  }
}

function searchLines(text: string, expression: RegExp): readonly LineMatch[] {
  const matches: LineMatch[] = [];
  let line = 0;
  for (let start = 0; start < text.length;) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : newline;
    line++;
    const content = text.slice(start, text[end - 1] === '\r' && end > start ? end - 1 : end);
    const at = content.search(expression);
    if (at >= 0) matches.push({ line, column: at + 1, text: cut(content, at) });
    start = end + 1;
  }
  return matches;
}

function cut(line: string, at: number): string {
  if (line.length <= SHOWN) return line;
  const start = Math.max(0, Math.min(at - BEFORE_MATCH, line.length - SHOWN));
  const end = start + SHOWN;
  return `${start > 0 ? '…' : ''}${line.slice(start, end).toWellFormed()}${end < line.length ? '…' : ''}`;
}
