import type { Root, Source, Sources, SourceReading } from '@rootward/core';
import { VERSION } from '../version.js';

/** The one line that says the server is ready. Names counts and sources, no paths. */
export function readinessLine(where: string, sources: Sources): string {
  return `rootward ${VERSION} ready on ${where}: ${describeSources(sources)}\n`;
}

function describeSources(sources: Sources): string {
  const operator = sources.operators.find(({ roots }) => roots.length > 0);
  const hint = [...sources.hints, sources.fallback].find(({ roots }) => roots.length > 0);
  const own = operator ?? hint;
  if (sources.clientRoots === 'ignore') return own === undefined ? 'no roots' : counted(own);
  if (own === undefined) return withoutOwn(sources);
  if (sources.clientRoots === 'add' && operator !== undefined) {
    return `roots from the client, followed by ${counted(operator)}`;
  }
  if (operator === undefined) return `roots from the client, else ${counted(own)}`;
  // Over HTTP, the operator's roots are a ceiling themselves.
  const within = sources.reading.ceiling === undefined ? '' : ' within the ceiling';
  return `${counted(operator)}, replaced by the client's${within} where it gives any (--client-roots add keeps both)`;
}

function withoutOwn({ reading: { ceiling }, again }: Sources): string {
  const unusable = 'none of the folders that were named can be used';
  // Over HTTP they are the ceiling, so that nothing of a client counts either.
  if (ceiling?.length === 0) return `no roots: ${unusable}`;
  return again === undefined ? 'roots from the client' : `roots from the client; ${unusable}`;
}

function counted({ source, roots }: SourceReading): string {
  return `${countRoots(roots)} from ${originOf(source)}`;
}

/** The source `flag` also reads folders that are given without a flag. */
export function originOf(source: Source): string {
  return source === 'flag' ? 'the command line' : source;
}

export function countRoots(roots: readonly Root[]): string {
  return roots.length === 1 ? '1 root' : `${roots.length} roots`;
}
