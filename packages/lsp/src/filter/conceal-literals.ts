import type { Scope } from '@rootward/core';
import { languageIdOf, type ServerDefinition } from '../servers/definition.js';
import { sourceFiles } from '../documents/source-files.js';

/** Files looked into for values that the files at hand do not hold. */
const MAX_LOOKED_AT = 2_000;
const MAX_BYTES: number = 1024 * 1024;
const QUOTES = /^["'`]|["'`]$/g;
/** Modules are named by paths. */
const MODULE = /^import\(/;
/** The note on an answer in which a value was left out. */
const CONCEALED_NOTE = 'values that no file in the roots holds are shown as "…"';

export interface LiteralsOptions {
  readonly scope: Scope;
  readonly definition: Pick<ServerDefinition, 'extensions' | 'literals'>;
  /** Texts in scope, looked into first. */
  readonly sources: readonly string[];
  readonly signal?: AbortSignal | undefined;
}

/**
 * What a server says, without the values in it that no file in scope holds: a type may spell out a constant of a file
 * outside the roots or of a denied one. Does NOT find values that are not written as literals of the server's language.
 */
export async function concealLiterals(
  texts: readonly string[],
  { scope, definition, sources, signal }: LiteralsOptions,
): Promise<{ readonly texts: readonly string[]; readonly notes: readonly string[] }> {
  const { literals } = definition;
  if (literals === undefined) return { texts, notes: [] };
  const unknown = new Set(
    texts.flatMap((text) =>
      [...text.matchAll(literals)].map(([literal]) => literal).filter((literal) => !MODULE.test(literal)),
    ),
  );
  const forget = (source: string): void => {
    for (const literal of unknown)
      if (spellings(literal).some((each) => source.includes(each))) unknown.delete(literal);
  };
  for (const source of sources) forget(source);
  if (unknown.size > 0) await lookThrough(scope, definition, unknown, forget, signal);
  if (unknown.size === 0) return { texts, notes: [] };
  const conceal = (literal: string): string => (unknown.has(literal) ? concealed(literal) : literal);
  return { texts: texts.map((text) => text.replace(literals, conceal)), notes: [CONCEALED_NOTE] };
}

async function lookThrough(
  scope: Scope,
  definition: LiteralsOptions['definition'],
  unknown: ReadonlySet<string>,
  forget: (source: string) => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  const wanted = (path: string): boolean =>
    languageIdOf(definition, path) !== undefined || path.toLowerCase().endsWith('.json');
  let looked = 0;
  for await (const { path } of sourceFiles(scope, { roots: scope.roots, wanted, signal })) {
    if (unknown.size === 0 || looked >= MAX_LOOKED_AT) return;
    looked += 1;
    try {
      const options = { maxBytes: MAX_BYTES, ...(signal !== undefined && { signal }) };
      forget((await scope.readText(path, options)).text);
    } catch {
      signal?.throwIfAborted();
    }
  }
}

/** As a server writes it and as it means it: quotes and escapes differ between types and sources. */
function spellings(literal: string): readonly string[] {
  const plain = literal.replace(QUOTES, '');
  try {
    const value: unknown = JSON.parse(`"${plain}"`);
    return [plain, String(value)];
  } catch {
    return [plain];
  }
}

function concealed(literal: string): string {
  const quote = /^["'`]/.test(literal) ? literal.slice(0, 1) : '';
  return `${quote}…${quote}`;
}
