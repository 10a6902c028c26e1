import type { LineMatch } from './line-search.js';
import type { LinePattern } from './line-pattern.js';
import { PatternThread } from './pattern-thread.js';
import type { SearchContext } from './ripgrep.js';

/** Nearly every pattern is done with a piece of text in less; nobody notices a wait of this length. */
const QUICK_MS = 20;
/** What a slow pattern may take for one piece, in a thread of its own. */
const PIECE_MS = 1_000;
/** What all pieces of a call may take there together. Time that has passed, so that it does not grow under load. */
const BUDGET_MS = 5_000;

/**
 * Matches the texts of one call. Expressions that backtrack can take for ever on one line: one that is not quick goes
 * on in a thread of its own, where it holds up nobody, and is ended when its budget is used up.
 */
export class PatternSearch implements Disposable {
  readonly #pattern: LinePattern;
  readonly #context: Pick<SearchContext, 'patternTurns' | 'principal' | 'signal'>;
  #isQuick = true;
  #left: number;
  #turn: Disposable | undefined;
  #thread: PatternThread | undefined;

  constructor(
    pattern: LinePattern,
    context: Pick<SearchContext, 'patternTurns' | 'principal' | 'signal'>,
    budgetMs: number = BUDGET_MS,
  ) {
    this.#pattern = pattern;
    this.#context = context;
    this.#left = budgetMs;
  }

  /** The matching lines of each text; undefined where that takes too long. Throws once the budget is used up. */
  async search(texts: readonly string[]): Promise<readonly (readonly LineMatch[])[] | undefined> {
    if (this.#isQuick) {
      const found = this.#pattern.searchWithin(QUICK_MS, texts);
      if (found !== undefined) return found;
      this.#isQuick = false;
    }
    if (this.#left <= 0) throw this.#pattern.tooSlow();
    const { patternTurns, principal, signal } = this.#context;
    this.#turn ??= await patternTurns.take(principal, signal);
    this.#thread ??= new PatternThread(this.#pattern.expression);
    const possible = texts.map((text) => (this.#pattern.mayMatch(text) ? text : ''));
    const { found, took } = await this.#thread.search(possible, Math.min(PIECE_MS, this.#left), signal);
    this.#left -= took;
    if (found === undefined) this.#endThread();
    return found;
  }

  dispose(): void {
    this.#endThread();
    this.#turn?.[Symbol.dispose]();
    this.#turn = undefined;
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  #endThread(): void {
    this.#thread?.dispose();
    this.#thread = undefined;
  }
}
