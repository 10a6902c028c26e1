import { RootwardError, type Scope } from '@rootward/core';
import { nextTurn } from '@rootward/core/platform';
import { findRipgrep } from './find-ripgrep.js';
import type { LinePattern } from './line-pattern.js';
import type { LineMatch } from './line-search.js';
import { PatternSearch } from './pattern-search.js';
import { mayContain, readInChunks } from './read-in-chunks.js';
import { filesWithLiteral, type SearchContext } from './ripgrep.js';

/** So few files are read faster than another program is started. */
const FIRST_BATCH = 256;
const LATER_BATCH = 4096;
/** Command lines have limits: 2 MB on Linux, 32,767 characters on Windows. */
const BATCH_CHARACTERS = process.platform === 'win32' ? 24_000 : 500_000;
/** Text to match in one go: a few milliseconds of work, after which everything else gets its turn. */
const CHUNK_CHARACTERS = 256 * 1024;
/** Larger files are read in pieces of this size. */
const LARGE_FILE = 1024 * 1024;
/** A few slow files, such as minified ones, must not end a search; if there are more, the pattern itself is too slow. */
const MAX_SLOW_FILES = 3;

export interface FileMatch extends LineMatch {
  readonly path: string;
}

export interface ContentSearchOptions {
  readonly scope: Scope;
  readonly pattern: LinePattern;
  /** How many matches to leave out, as those of the pages before; default 0. */
  readonly skip?: number;
  /** How many of the others are enough. */
  readonly limit: number;
  readonly context: SearchContext;
  /** Where ripgrep is; without one, every file is read. */
  readonly ripgrep?: (() => Promise<string | undefined>) | undefined;
}

/** Looks for a pattern in files, in the order they come. With or without ripgrep, the outcome is the same. */
export class ContentSearch {
  readonly found: FileMatch[] = [];
  /** Files the system does not let us read. */
  unreadable = 0;
  /**
   * Files not searched to their end, though something in them may match: a line is too long, or too long for this
   * pattern, or the rest is not text.
   */
  unfinished = 0;
  /** Files that are not text, and so have no lines; ripgrep may have passed over others. */
  notText = 0;
  #skipped = 0;
  #slow = 0;
  readonly #options: ContentSearchOptions;
  readonly #matcher: PatternSearch;
  #paths: string[] = [];
  #texts: string[] = [];
  #characters = 0;

  constructor(options: ContentSearchOptions) {
    this.#options = options;
    this.#matcher = new PatternSearch(options.pattern, options.context);
  }

  async run(candidates: AsyncIterable<string>): Promise<void> {
    try {
      await this.#run(candidates);
    } finally {
      this.#matcher.dispose();
    }
  }

  async #run(candidates: AsyncIterable<string>): Promise<void> {
    let batch: string[] = [];
    let characters = 0;
    let size = FIRST_BATCH;
    for await (const path of candidates) {
      batch.push(path);
      characters += path.length + 1;
      if (batch.length < size && characters < BATCH_CHARACTERS) continue;
      await this.#searchFiles(size === FIRST_BATCH ? batch : await this.#filter(batch));
      if (this.#isEnough()) return;
      batch = [];
      characters = 0;
      size = LATER_BATCH;
    }
    await this.#searchFiles(batch.length < FIRST_BATCH ? batch : await this.#filter(batch));
  }

  async #filter(files: readonly string[]): Promise<readonly string[]> {
    const { scope, pattern, context, ripgrep = () => findRipgrep(scope.roots) } = this.#options;
    const program = pattern.literal === undefined ? undefined : await ripgrep();
    if (program === undefined) return files;
    const possible = await filesWithLiteral(program, pattern, files, context);
    return possible === undefined ? files : files.filter((file) => possible.has(file));
  }

  async #searchFiles(files: readonly string[]): Promise<void> {
    for (const path of files) {
      await this.#searchFile(path);
      if (this.#characters >= CHUNK_CHARACTERS) {
        await this.#flush();
        if (this.#isEnough()) return;
        await nextTurn();
      }
    }
    await this.#flush();
  }

  async #searchFile(path: string): Promise<void> {
    const { scope, context } = this.#options;
    try {
      const { text } = await scope.readText(path, { maxBytes: LARGE_FILE, signal: context.signal });
      this.#paths.push(path);
      this.#texts.push(text);
      this.#characters += text.length;
    } catch (error) {
      if (!(error instanceof RootwardError)) throw error;
      if (error.code === 'too-large') await this.#searchLargeFile(path);
      else if (error.code === 'not-permitted') this.unreadable++;
      else if (error.code === 'not-text') this.notText++;
      // What is gone or out of scope by now is not there.
    }
  }

  async #searchLargeFile(path: string): Promise<void> {
    const { scope, pattern, context } = this.#options;
    await this.#flush();
    let isText = false;
    let leftOut = false;
    const chunks = readInChunks(scope, path, LARGE_FILE, context.signal);
    for await (const { text, linesBefore, leavesOut } of chunks) {
      if (this.#isEnough()) return;
      isText = true;
      leftOut ||= leavesOut;
      const matches = await this.#searchAlone(text);
      if (matches === undefined) return;
      this.#keep(path, matches, linesBefore);
      await nextTurn();
    }
    if (!isText) this.notText++;
    if (leftOut && (await mayContain(scope, path, pattern, context.signal))) this.unfinished++;
  }

  async #flush(): Promise<void> {
    const [paths, texts] = [this.#paths, this.#texts];
    this.#paths = [];
    this.#texts = [];
    this.#characters = 0;
    const all = await this.#matcher.search(texts);
    for (const [index, path] of paths.entries()) {
      const matches = all === undefined ? await this.#searchAlone(texts[index] ?? '') : all[index];
      this.#keep(path, matches ?? []);
      if (all !== undefined) continue;
      await nextTurn();
      this.#options.context.signal.throwIfAborted();
    }
  }

  /** Those to leave out are only counted: there may be millions of them. */
  #keep(path: string, matches: readonly LineMatch[], linesBefore = 0): void {
    const { skip = 0 } = this.#options;
    for (const match of matches) {
      if (this.#skipped < skip) this.#skipped++;
      else this.found.push({ path, ...match, line: match.line + linesBefore });
    }
  }

  /** Undefined, and counted, where that takes too long. */
  async #searchAlone(text: string): Promise<readonly LineMatch[] | undefined> {
    const found = await this.#matcher.search([text]);
    if (found !== undefined) return found[0];
    if (++this.#slow > MAX_SLOW_FILES) throw this.#options.pattern.tooSlow();
    this.unfinished++;
    return undefined;
  }

  #isEnough(): boolean {
    return this.found.length >= this.#options.limit;
  }
}
