import { isWithinAny } from '../uri/contains-path.js';
import type { Root } from '../roots/root.js';
import { hostPathStyle, type PathStyle } from '../uri/path-style.js';

/**
 * The roots, with every place in `readOnly` kept read-only: a root inside such a place becomes read-only, and a wider
 * root gets that place as a second root, since the stricter one of two overlapping roots wins. Containing places are
 * found by lookup: both lists may have thousands of entries, and this runs for every answer and every modern request.
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
    isWithinAny(places, root.path, style) ? { ...root, access: 'read-only' } : root,
  );
  const beside = readOnly.filter(({ path }) => !named.has(path) && isWithinAny(named, path, style));
  return [...kept, ...beside];
}
