import type { DocumentSymbol, SymbolInformation } from 'vscode-languageserver-protocol';
import type { Scope } from '@rootward/core';
import { codeOnly } from './code-only.js';
import type { OpenDocument } from './documents.js';
import { includesFile } from './included-files.js';

/** What was found out about documents of a server, kept as long as their text is the same. */
export class DocumentFacts {
  /** The server's answers. */
  readonly symbols: WeakMap<OpenDocument, readonly DocumentSymbol[] | readonly SymbolInformation[]> =
    new WeakMap();
  readonly #code = new WeakMap<OpenDocument, string>();
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
