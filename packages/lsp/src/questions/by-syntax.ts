import { RootwardLspError, type LspErrorCode } from '../error.js';
import { filesMentioning } from '../documents/files-mentioning.js';
import type { CodeContext } from '../pool/code-context.js';
import type { SyntaxDeclaration, SyntaxSource } from '../pool/syntax-source.js';
import type { SymbolNode } from './symbols/document-symbols.js';
import { isIn, readSymbol } from './symbols/symbol-name.js';
import { placed, type PlacedSymbol } from './symbols/document-symbols.js';

/** Failures after which a parser answers what it can: no server will, whatever is asked again. */
const UNSERVED: ReadonlySet<LspErrorCode> = new Set([
  'no-server',
  'not-installed',
  'not-trusted',
  'broad-root',
]);
/** Files parsed for one question. */
const MAX_PARSED = 500;
const NOTE = 'found by syntax alone: other files and types were not looked at';

/** A declaration that a parser found, and the file it is in. */
export interface ParsedDeclaration {
  readonly file: string;
  readonly lines: readonly string[];
  readonly placed: PlacedSymbol;
}

/** What a parser found, and what it leaves open. */
export interface Parsed {
  readonly found: readonly ParsedDeclaration[];
  readonly notes: readonly string[];
}

/** The parser, for a question that no server answers; otherwise rejects with the failure itself. */
export async function parserInstead(
  { syntax }: CodeContext,
  path: string,
  failure: unknown,
): Promise<{ readonly source: SyntaxSource; readonly notes: readonly string[] }> {
  if (!(failure instanceof RootwardLspError) || !UNSERVED.has(failure.code)) throw failure;
  const source = await syntax?.();
  if (source?.languageOf(path) === undefined) throw failure;
  const { message, instruction } = failure;
  return { source, notes: [NOTE, instruction === undefined ? message : `${message}. ${instruction}`] };
}

/** The symbols of a file as a parser reads them. */
export async function parsedSymbols(
  { scope, signal }: CodeContext,
  source: SyntaxSource,
  path: string,
): Promise<{ readonly text: string; readonly symbols: readonly SymbolNode[] }> {
  const { text } = await scope.readText(path, signal === undefined ? {} : { signal });
  return { text, symbols: (await source.declarations(path, text)).map(toNode) };
}

/** The declarations of a name in the files of one language, the file itself first. */
export async function parsedDefinitions(
  context: CodeContext,
  source: SyntaxSource,
  path: string,
  symbol: string,
): Promise<readonly ParsedDeclaration[]> {
  const { name, containers } = readSymbol(symbol);
  const language = source.languageOf(path);
  const wanted = (file: string): boolean => source.languageOf(file) === language;
  const { roots } = context.scope;
  const options = { roots, wanted, word: name, whole: true, limit: MAX_PARSED, signal: context.signal };
  const { files } = await filesMentioning(context.scope, options);
  const matches = (each: PlacedSymbol): boolean => each.name === name && isIn(each.containers, containers);
  const { found } = await parseAll(context, source, [...new Set([path, ...files])], matches);
  return found;
}

/** The declarations in some files that match. */
export async function parseAll(
  context: CodeContext,
  source: SyntaxSource,
  files: readonly string[],
  matches: (symbol: PlacedSymbol) => boolean,
): Promise<Parsed> {
  const found: ParsedDeclaration[] = [];
  for (const file of files.slice(0, MAX_PARSED)) {
    try {
      const { text, symbols } = await parsedSymbols(context, source, file);
      const lines = text.split(/\r\n|\n|\r/);
      for (const each of placed(symbols)) if (matches(each)) found.push({ file, lines, placed: each });
    } catch {
      // One that cannot be read is no source of declarations.
      context.signal?.throwIfAborted();
    }
  }
  const left = files.length - MAX_PARSED;
  return { found, notes: [NOTE, ...(left > 0 ? [`${left} more files were not looked at`] : [])] };
}

function toNode({
  name,
  kind,
  line,
  column,
  startLine,
  endLine,
  container,
  children,
}: SyntaxDeclaration): SymbolNode {
  const start = { line: line - 1, character: column - 1 };
  return {
    name,
    kind,
    range: {
      start: { line: startLine - 1, character: 0 },
      end: { line: endLine - 1, character: Number.MAX_SAFE_INTEGER },
    },
    selection: { start, end: { line: line - 1, character: column - 1 + name.length } },
    children: children.map(toNode),
    ...(container !== undefined && { container }),
  };
}
