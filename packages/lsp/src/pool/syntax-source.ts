/** Something that a file declares, by syntax alone. Lines and columns are counted from 1. */
export interface SyntaxDeclaration {
  readonly name: string;
  readonly kind: string;
  /** Where its name stands. */
  readonly line: number;
  readonly column: number;
  readonly startLine: number;
  readonly endLine: number;
  /** The name of what it is in, where its head says so. */
  readonly container?: string;
  readonly children: readonly SyntaxDeclaration[];
}

/** A parser that answers what it can where there is no language server, such as `SyntaxReader` of @rootward/syntax. */
export interface SyntaxSource {
  /** The language of a file, by its name; undefined where it is not known. */
  languageOf(path: string): string | undefined;
  declarations(path: string, text: string): Promise<readonly SyntaxDeclaration[]>;
}
