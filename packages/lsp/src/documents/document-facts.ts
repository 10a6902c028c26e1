import type { DocumentSymbol, SymbolInformation } from 'vscode-languageserver-protocol';
import type { Scope } from '@rootward/core';
import { codeOnly } from './code-only.js';
import type { OpenDocument } from './documents.js';
import type { Place } from './find-word.js';
import { includesFile } from './included-files.js';

/** What the text tells of a name that stands at a place. */
export interface DeclarationFacts {
  /** It may be defined elsewhere. */
  readonly isDeclaration: boolean;
  /** Nothing but that place can define it. */
  readonly isNeverElsewhere: boolean;
  /** It is a function that other files can call by its name alone. */
  readonly isLinked: boolean;
  /** The type that it is a member of. */
  readonly owner: string | undefined;
}

/** What was found out about documents of a server, kept as long as their text is the same. */
export class DocumentFacts {
  /** The server's answers. */
  readonly symbols: WeakMap<OpenDocument, readonly DocumentSymbol[] | readonly SymbolInformation[]> =
    new WeakMap();
  readonly #code = new WeakMap<OpenDocument, string>();
  readonly #lines = new WeakMap<OpenDocument, readonly string[]>();
  /** By word and place. */
  readonly #declared = new WeakMap<OpenDocument, Map<string, DeclarationFacts>>();
  readonly #included = new WeakMap<OpenDocument, Map<string, boolean>>();

  /** The text without comments and strings. */
  codeOf(document: OpenDocument): string {
    let code = this.#code.get(document);
    if (code === undefined) {
      code = codeOnly(document.text, document.languageId);
      this.#code.set(document, code);
    }
    return code;
  }

  linesOf(document: OpenDocument): readonly string[] {
    let lines = this.#lines.get(document);
    if (lines === undefined) {
      lines = document.text.split(/\r\n|\n|\r/);
      this.#lines.set(document, lines);
    }
    return lines;
  }

  /** What its text tells of a name, looked for once. */
  async declared(
    document: OpenDocument,
    { word, line, character }: Place & { readonly word: string },
    find: () => Promise<DeclarationFacts>,
  ): Promise<DeclarationFacts> {
    const known = this.#declared.get(document) ?? new Map<string, DeclarationFacts>();
    this.#declared.set(document, known);
    const key = `${line}:${character}:${word}`;
    const facts = known.get(key) ?? (await find());
    known.set(key, facts);
    return facts;
  }

  /** Whether it includes a file. A change of what it includes is noticed once the document is opened anew. */
  async includes(
    scope: Scope,
    document: OpenDocument,
    file: string,
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    const known = this.#included.get(document) ?? new Map<string, boolean>();
    this.#included.set(document, known);
    const before = known.get(file);
    if (before !== undefined) return before;
    const isIncluded = await includesFile(scope, document, file, signal);
    known.set(file, isIncluded);
    return isIncluded;
  }
}
