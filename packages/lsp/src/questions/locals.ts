import type { Scope } from '@rootward/core';
import type { Match } from './search-server.js';
import { isValue } from './symbols/document-symbols.js';

/** How many files are checked; symbols in others do not count as locals. */
const MAX_FILES = 200;
const MAX_BYTES: number = 1024 * 1024;
const WORD = /^#?[\p{L}_$][\p{L}\p{N}_$]*$/u;
const TYPE = String.raw`(?:class|interface|struct|union|enum|namespace|module|trait|type|object|record|impl|package)`;

/**
 * The matches without locals and parameters, which servers name among declarations. What a value is in is taken for a
 * function where its file declares no type of that name, and something that is called or made of parameters.
 */
export async function withoutLocals(
  scope: Scope,
  matches: readonly Match[],
  signal?: AbortSignal,
): Promise<readonly Match[]> {
  const texts = new Map<string, string>();
  const kept: Match[] = [];
  for (const match of matches) {
    const owner = ownerOf(match);
    const text =
      owner === undefined
        ? ''
        : (texts.get(match.file) ?? (await readText(scope, match.file, texts, signal)));
    if (owner === undefined || !isFunction(text, owner)) kept.push(match);
  }
  return kept;
}

/** What a value is in, where that has a plain name. */
function ownerOf({ kind, container }: Match): string | undefined {
  const owner = isValue(kind) ? container?.split(/\.|::/).at(-1) : undefined;
  return owner !== undefined && WORD.test(owner) ? owner : undefined;
}

async function readText(
  scope: Scope,
  file: string,
  texts: Map<string, string>,
  signal: AbortSignal | undefined,
): Promise<string> {
  let text = '';
  if (texts.size < MAX_FILES) {
    try {
      const options = { maxBytes: MAX_BYTES, ...(signal !== undefined && { signal }) };
      ({ text } = await scope.readText(file, options));
    } catch {
      signal?.throwIfAborted();
    }
  }
  texts.set(file, text);
  return text;
}

function isFunction(text: string, name: string): boolean {
  const word = `(?<![\\p{L}\\p{N}_$#])${name.replaceAll('$', String.raw`\$`)}`;
  if (new RegExp(String.raw`\b${TYPE}\s+${word}(?![\p{L}\p{N}_$])`, 'u').test(text)) return false;
  return new RegExp(
    String.raw`${word}\s*(?:<[^>\n]*>\s*)?(?:\(|[:=]\s*(?:async\s*)?(?:function|\(|\w+\s*=>))`,
    'u',
  ).test(text);
}
