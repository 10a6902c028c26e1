import { credentialPlaces, BROAD_ROOT_PLACES } from './credentials.js';
import { keptPlaces } from './kept.js';
import type { ProtectedPlace, Surroundings } from './place.js';
import { STEERING_PLACES, userProgramPlaces } from './steering.js';

/**
 * The register of protected places: everything that tools and children must not change, or not even see, with the reason
 * for each. Pure: it looks at no disk, so paths are not canonical yet, and most places do not exist.
 *
 * @example
 * ```ts
 * import { protectedPlaces } from '@rootward/core';
 *
 * const places = protectedPlaces({ environment: {}, home: '/home/me', platform: 'linux' });
 * console.log(places.find(({ path }) => path === '/home/me/.ssh')?.protection); // hidden
 * ```
 */
export function protectedPlaces(surroundings: Surroundings): readonly ProtectedPlace[] {
  return [
    ...keptPlaces(surroundings),
    ...STEERING_PLACES,
    ...userProgramPlaces(surroundings),
    ...credentialPlaces(surroundings),
    ...BROAD_ROOT_PLACES,
  ];
}

/** A pattern for paths with `/` and `*`: in any letter case, as Unicode folds it, since on many disks every spelling is the same file. */
function patternOf(start: string, places: readonly ProtectedPlace[], end = String.raw`(?:[\\/]|$)`): RegExp {
  const paths = places.map(({ path }) =>
    path.replaceAll(/[.+*/]/g, (special) => PATTERNS[special] ?? special),
  );
  return new RegExp(String.raw`${start}(?:${paths.join('|')})${end}`, 'iu');
}

const PATTERNS: Readonly<Record<string, string>> = {
  '.': String.raw`\.`,
  '+': String.raw`\+`,
  '*': String.raw`[^\\/]*`,
  '/': String.raw`[\\/]`,
};
const AT_ANY_DEPTH = String.raw`(?:^|[\\/])`;
const ANYWHERE = patternOf(AT_ANY_DEPTH, STEERING_PLACES);

/** Why a path may not be changed, as it steers programs wherever it is; undefined for other paths. By text only. */
export function steeringReason(path: string): string | undefined {
  if (!ANYWHERE.test(path)) return undefined;
  return STEERING_PLACES.find((place) => patternOf(AT_ANY_DEPTH, [place]).test(path))?.reason;
}

/** Whether a canonical path steers programs wherever it is, or lies in a folder that does. */
export function isSteering(path: string): boolean {
  return ANYWHERE.test(path);
}

const HOLDERS = patternOf(
  AT_ANY_DEPTH,
  STEERING_PLACES.flatMap((place) => {
    const names = place.path.split('/');
    return names
      .slice(1)
      .map((_, index) => Object.assign({}, place, { path: names.slice(0, index + 1).join('/') }));
  }),
  '$',
);

/** Whether programs look for steering files in a folder of this name or below it, so that a link there would lead them elsewhere. */
export function holdsSteering(path: string): boolean {
  return HOLDERS.test(path);
}
