import { lstatSync, readlinkSync } from 'node:fs';
import { isAbsolute, join, parse, resolve, sep } from 'node:path';
import type { ProtectedPlace } from './place.js';

const SEPARATORS = sep === '/' ? '/' : /[\\/]/;
/** Links that lead in a circle end here, as they do for the system. */
const MAX_LINKS = 40;

/**
 * The same places by their canonical paths. A place behind links becomes several: each link on the way is fixed, since
 * another folder in its place would be obeyed instead. Places that do not exist are canonical as far as they exist.
 */
export function canonicalPlaces(places: readonly ProtectedPlace[]): readonly ProtectedPlace[] {
  const targets = new Map<string, string | undefined>();
  const targetOf = (path: string): string | undefined => {
    if (!targets.has(path)) targets.set(path, readLink(path));
    return targets.get(path);
  };
  const found = new Map<string, ProtectedPlace>();
  const add = (place: ProtectedPlace): void => {
    const key = `${place.where} ${place.protection} ${place.path}`;
    if (!found.has(key)) found.set(key, place);
  };
  for (const place of places) {
    if (place.where !== 'at') {
      add(place);
      continue;
    }
    const last = resolve(place.path);
    const { links, end } = followLinks(last, targetOf);
    for (const path of links) {
      // The last link may show what is hidden; those before it are also on the way to other places.
      add({ ...place, path, protection: path === last ? place.protection : 'fixed' });
    }
    add({ ...place, path: end });
  }
  return [...found.values()];
}

/** Every link on the way, in its canonical folder, then where the way ends. */
function followLinks(
  path: string,
  targetOf: (path: string) => string | undefined,
): { readonly links: readonly string[]; readonly end: string } {
  const links: string[] = [];
  let { current, names } = split(path);
  for (let name = names.shift(); name !== undefined; name = names.shift()) {
    if (name === '..') {
      current = join(current, name);
      continue;
    }
    const entry = join(current, name);
    const target = links.length < MAX_LINKS ? targetOf(entry) : undefined;
    if (target === undefined) {
      current = entry;
      continue;
    }
    links.push(entry);
    const rest = names;
    // Not normalised: ".." behind a link leads to the parent of what it leads to.
    ({ current, names } = isAbsolute(target) ? split(target) : { current, names: namesOf(target) });
    names.push(...rest);
  }
  return { links, end: current };
}

function split(path: string): { current: string; names: string[] } {
  const { root } = parse(path);
  return { current: root, names: namesOf(path.slice(root.length)) };
}

function namesOf(path: string): string[] {
  return path.split(SEPARATORS).filter((name) => name !== '');
}

/** Where a link leads; undefined for everything else. */
function readLink(path: string): string | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true
      ? readlinkSync(path)
      : undefined;
  } catch {
    return undefined;
  }
}
