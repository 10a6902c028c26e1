import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type * as TreeSitter from '@vscode/tree-sitter-wasm';
import { grammarOf, LANGUAGES, type Grammar } from './languages.js';
import { QUERIES } from './queries.js';

/** Something that a file declares. Lines and columns are counted from 1. */
export interface Declaration {
  readonly name: string;
  readonly kind: string;
  /** Where its name stands. */
  readonly line: number;
  readonly column: number;
  readonly startLine: number;
  readonly endLine: number;
  /** The name of what it is in, where its head says so, as a method of Go does. */
  readonly container?: string;
  readonly children: readonly Declaration[];
}

interface Loaded {
  readonly language: TreeSitter.Language;
  readonly query: TreeSitter.Query;
}

interface Found {
  readonly start: number;
  readonly end: number;
  readonly declaration: Declaration & { readonly children: Declaration[] };
}

/** Kinds that are named otherwise than their captures. */
const KINDS: ReadonlyMap<string, string> = new Map([['member', 'enum member']]);

/** Reads what source files declare. The parser and each grammar are loaded when they are first needed. */
export class SyntaxReader {
  readonly #grammars = new Map<Grammar, Promise<Loaded>>();
  #library: Promise<typeof TreeSitter> | undefined;

  /** The language of a file, by the end of its name; undefined where it is not known. */
  languageOf(path: string): string | undefined {
    const grammar = grammarOf(path);
    return grammar === undefined ? undefined : LANGUAGES[grammar];
  }

  /** The declarations of a file, as a tree. Empty for a language that is not known. Locals are left out. */
  async declarations(path: string, text: string): Promise<readonly Declaration[]> {
    const grammar = grammarOf(path);
    if (grammar === undefined) return [];
    const { language, query } = await this.#grammar(grammar);
    const { Parser } = await this.#load();
    const parser = new Parser();
    try {
      parser.setLanguage(language);
      const tree = parser.parse(text);
      if (tree === null) return [];
      try {
        return asTree(query.matches(tree.rootNode).flatMap((match) => read(match) ?? []));
      } finally {
        tree.delete();
      }
    } finally {
      parser.delete();
    }
  }

  #grammar(grammar: Grammar): Promise<Loaded> {
    let loaded = this.#grammars.get(grammar);
    if (loaded === undefined) {
      loaded = this.#loadGrammar(grammar);
      this.#grammars.set(grammar, loaded);
    }
    return loaded;
  }

  async #loadGrammar(grammar: Grammar): Promise<Loaded> {
    const { Language, Query } = await this.#load();
    const language = await Language.load(join(dirname(LIBRARY), `tree-sitter-${grammar}.wasm`));
    return { language, query: new Query(language, QUERIES[grammar]) };
  }

  #load(): Promise<typeof TreeSitter> {
    return (this.#library ??= initialized());
  }
}

const require = createRequire(import.meta.url);
const LIBRARY: string = require.resolve('@vscode/tree-sitter-wasm');

async function initialized(): Promise<typeof TreeSitter> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- its types describe it
  const library = require(LIBRARY) as typeof TreeSitter;
  await library.Parser.init();
  return library;
}

function read({ captures }: TreeSitter.QueryMatch): Found | undefined {
  const name = captures.find((capture) => capture.name === 'name')?.node;
  const container = captures.find((capture) => capture.name === 'container')?.node;
  const whole = captures.find((capture) => capture.name !== 'name' && capture.name !== 'container');
  if (name === undefined || whole === undefined) return undefined;
  const { startPosition, endPosition, startIndex, endIndex } = whole.node;
  return {
    start: startIndex,
    end: endIndex,
    declaration: {
      name: name.text,
      kind: KINDS.get(whole.name) ?? whole.name,
      line: name.startPosition.row + 1,
      column: name.startPosition.column + 1,
      startLine: startPosition.row + 1,
      // The end of a declaration may be the start of the next line.
      endLine:
        endPosition.column === 0 && endPosition.row > startPosition.row
          ? endPosition.row
          : endPosition.row + 1,
      ...(container !== undefined && { container: container.text }),
      children: [],
    },
  };
}

/** Puts each declaration into the one around it. What two patterns match counts once. */
function asTree(found: readonly Found[]): readonly Declaration[] {
  const roots: Declaration[] = [];
  const around: Found[] = [];
  const seen = new Set<string>();
  for (const each of found.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const { declaration } = each;
    const key = `${declaration.line}:${declaration.column}`;
    if (seen.has(key)) continue;
    seen.add(key);
    while (around.length > 0 && (around.at(-1)?.end ?? 0) <= each.start) around.pop();
    (around.at(-1)?.declaration.children ?? roots).push(declaration);
    around.push(each);
  }
  return roots;
}
