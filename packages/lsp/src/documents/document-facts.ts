import type { DocumentSymbol, SymbolInformation } from 'vscode-languageserver-protocol';
import { codeOnly } from './code-only.js';
import type { OpenDocument } from './documents.js';

/** What was found out about documents of a server, kept as long as their text is the same. */
export class DocumentFacts {
  /** The server's answers. */
  readonly symbols: WeakMap<OpenDocument, readonly DocumentSymbol[] | readonly SymbolInformation[]> =
    new WeakMap();
  readonly #code = new WeakMap<OpenDocument, string>();
  readonly #lines = new WeakMap<OpenDocument, readonly string[]>();

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
}
