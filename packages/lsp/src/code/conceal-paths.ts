import { hostPathStyle, readFileUri } from '@rootward/core';
import type { Scope } from '@rootward/core';

/** File URIs, and absolute paths in quotes or on a line of their own, as servers write them into texts for people. */
const PATHS = /file:\/\/[^\s)>\]"'`]+|(["'`]|^)((?:\/|[A-Za-z]:[\\/])[^"'`\n]+)(?:\1|$)/gm;
const CONCEALED = '(outside the roots)';

/** A text of a server without the paths in it that lead out of scope. Does NOT find paths written without quotes. */
export function concealPaths(scope: Scope, text: string): string {
  return text.replaceAll(PATHS, (match: string, quote: string | undefined, path: string | undefined) => {
    if (path === undefined) {
      const reading = readFileUri(match.replace(/[#?].*$/, ''), hostPathStyle);
      return reading.ok && scope.contains(reading.path) ? match : CONCEALED;
    }
    return scope.contains(path) ? match : `${quote ?? ''}${CONCEALED}${quote ?? ''}`;
  });
}
