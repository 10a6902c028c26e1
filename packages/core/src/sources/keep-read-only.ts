import type { Root } from '../roots/root.js';
import type { PathStyle } from '../uri/path-style.js';
import { hostPathStyle } from '../uri/path-style.js';

/**
 * The roots, with every place in `readOnly` kept read-only: a root inside such a place becomes so itself, and a wider
 * one gets that place beside it, since of roots that overlap the one that forbids wins. Looks up what each path
 * lies in: both lists may have thousands, and this is done for every answer and every modern request.
 */
export function keepReadOnly(
  roots: readonly Root[],
  readOnly: readonly Root[],
  style: PathStyle = hostPathStyle,
): readonly Root[] {
  if (readOnly.length === 0) return roots;
  const named = new Set(roots.map((root) => root.path));
  const places = new Set(readOnly.map((root) => root.path));
  const kept = roots.map((root): Root =>
    isWithin(places, root.path, style) ? { ...root, access: 'read-only' } : root,
  );
  const beside = readOnly.filter(({ path }) => !named.has(path) && isWithin(named, path, style));
  return [...kept, ...beside];
}

/** Whether a canonical path is one of these places or lies below one. The top of a disk ends in its separator. */
function isWithin(places: ReadonlySet<string>, path: string, style: PathStyle): boolean {
  if (places.has(path)) return true;
  const separator = style === 'windows' ? '\\' : '/';
  for (let end = path.indexOf(separator); end >= 0; end = path.indexOf(separator, end + 1)) {
    if (places.has(path.slice(0, end)) || places.has(path.slice(0, end + 1))) return true;
  }
  return false;
}
