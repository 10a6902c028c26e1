import { readSources, type Sources, type SourcesOptions } from '../../src/sources/read-sources.js';
import type { SourceReading } from '../../src/sources/root-source.js';

/** Reads sources with nothing of this machine's environment. */
export function readFrom(options: Partial<SourcesOptions>): Promise<Sources> {
  return readSources({ environment: {}, home: '/nowhere/home', ...options });
}

export function statementOf(sources: Sources, source: string): SourceReading {
  const found = [...sources.operators, ...sources.hints, sources.fallback].find(
    (one) => one.source === source,
  );
  if (found === undefined) throw new Error(`no statement of ${source}`);
  return found;
}

export function pathsOf(statement: Pick<SourceReading, 'roots'>): readonly string[] {
  return statement.roots.map((root) => root.path);
}
