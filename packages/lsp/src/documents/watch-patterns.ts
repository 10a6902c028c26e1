import picomatch from 'picomatch';
import { containsPath, fileUriToPath, hostPathStyle, withDeepGroups } from '@rootward/core';
import type { FileSystemWatcher, Registration } from 'vscode-languageserver-protocol';

export const WATCH_METHOD = 'workspace/didChangeWatchedFiles';

/** Whether a file of a folder is meant. `relative` is with `/` on every system. */
export type FilePattern = (folder: string, relative: string) => boolean;

/** The patterns of a registration. One that cannot be read matches nothing. */
export function readPatterns(registration: Registration): readonly FilePattern[] {
  const options: unknown = registration.registerOptions;
  if (typeof options !== 'object' || options === null || !('watchers' in options)) return [];
  if (!Array.isArray(options.watchers)) return [];
  return options.watchers.flatMap((watcher: FileSystemWatcher) => readPattern(watcher.globPattern) ?? []);
}

function readPattern(pattern: FileSystemWatcher['globPattern']): FilePattern | undefined {
  if (typeof pattern === 'string') {
    return pattern.startsWith('/') || /^[a-z]:/i.test(pattern) ? absolutePattern(pattern) : anywhere(pattern);
  }
  try {
    const base = typeof pattern.baseUri === 'string' ? pattern.baseUri : pattern.baseUri.uri;
    return below(fileUriToPath(base), pattern.pattern);
  } catch {
    return undefined;
  }
}

function anywhere(pattern: string): FilePattern {
  const matches = picomatch(withDeepGroups(pattern), { dot: true, posix: true });
  return (_, relative) => matches(relative);
}

/** The plain folders a pattern starts with are compared as text: their names may hold characters that mean something. */
function absolutePattern(pattern: string): FilePattern {
  const parts = pattern.replaceAll('\\', '/').split('/');
  const special = parts.findIndex((part) => part.includes('*') || part.includes('{'));
  if (special <= 0) return (folder, relative) => `${slashed(folder)}/${relative}` === pattern;
  return below(parts.slice(0, special).join('/') || '/', parts.slice(special).join('/'));
}

function below(base: string, pattern: string): FilePattern {
  const matches = picomatch(withDeepGroups(pattern), { dot: true, posix: true });
  return (folder, relative) => {
    const path = `${slashed(folder)}/${relative}`;
    const start = slashed(base);
    if (!containsPath(start, path, 'posix')) return false;
    return matches(path.slice(start.endsWith('/') ? start.length : start.length + 1));
  };
}

function slashed(path: string): string {
  return hostPathStyle === 'windows' ? path.replaceAll('\\', '/') : path;
}
