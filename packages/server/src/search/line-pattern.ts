import { createContext, Script } from 'node:vm';
import { RootwardError } from '@rootward/core';
import { lineSearch, type LineMatch, type LineSearch } from './line-search.js';
import { requiredLiteral } from './required-literal.js';

/** How much of a pattern a message repeats. */
const MAX_QUOTED = 300;

/** A regular expression that is looked for line by line. */
export class LinePattern {
  /** Text without this has no match. */
  readonly literal: string | undefined;
  readonly ignoreCase: boolean;
  readonly expression: RegExp;
  readonly #searchLines: LineSearch;
  readonly #literalExpression: RegExp | undefined;
  readonly #script = new Script('run()');
  readonly #sandbox: { run: () => unknown } = { run: () => undefined };

  constructor(pattern: string, ignoreCase: boolean) {
    this.ignoreCase = ignoreCase;
    this.expression = compile(pattern, ignoreCase ? 'i' : '');
    this.#searchLines = lineSearch(this.expression);
    this.literal = requiredLiteral(pattern);
    if (ignoreCase && this.literal !== undefined) {
      this.#literalExpression = new RegExp(escapeSyntax(this.literal), this.expression.flags);
    }
    createContext(this.#sandbox);
  }

  /** The matching lines of each text; undefined where that takes longer. Blocks the event loop meanwhile. */
  searchWithin(
    milliseconds: number,
    texts: readonly string[],
  ): readonly (readonly LineMatch[])[] | undefined {
    const found: (readonly LineMatch[])[] = [];
    this.#sandbox.run = () => {
      for (const text of texts) found.push(this.mayMatch(text) ? this.#searchLines(text) : []);
    };
    try {
      this.#script.runInContext(this.#sandbox, { timeout: milliseconds });
      return found;
    } catch {
      return undefined;
    }
  }

  /** Whether text has what every match contains. Quick, whatever the pattern is. */
  mayMatch(text: string): boolean {
    if (this.literal === undefined) return true;
    return this.#literalExpression?.test(text) ?? text.includes(this.literal);
  }

  /** The error for a pattern whose matching takes too long. */
  tooSlow(cause?: unknown): RootwardError {
    const shown = quote(this.expression.source);
    return new RootwardError('invalid-option', `Cannot search for ${shown}: matching takes too long`, {
      cause,
      instruction: 'Simplify the pattern, above all repetitions inside repetitions, or search fewer files',
    });
  }
}

function escapeSyntax(literal: string): string {
  return literal.replaceAll(/[\\^$.|?*+()[\]{}]/g, String.raw`\$&`);
}

function quote(pattern: string): string {
  return JSON.stringify(pattern.length > MAX_QUOTED ? `${pattern.slice(0, MAX_QUOTED)}…` : pattern);
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
