// The register of protected places, one row for each reason, from the list that the fence and the sandboxes use.
import { protectedPlaces } from '../../packages/core/dist/index.js';
import { isSteering } from '../../packages/core/dist/platform/index.js';
import { code, table } from './markdown.mjs';

/** A number that is in no other path stands for the user's. */
const UID = 987654321;
const WHERE = {
  'any-depth': 'in any folder: ',
  'git-directory': 'in a git directory: ',
  'broad-root': 'below a broad root: ',
  at: '',
};
const KINDS = { kept: 'kept', rules: 'rules', steering: 'steers', credential: 'secret' };

export function protectedTable() {
  const places = protectedPlaces({ environment: {}, home: '~', platform: 'linux', uid: UID });
  const rows = Object.entries(KINDS).flatMap(([kind, title]) => {
    const groups = new Map();
    for (const place of places) {
      if (place.kind !== kind || (place.where === 'at' && isSteering(place.path) && kind === 'steering'))
        continue;
      const key = [place.where, place.protection, place.reason].join('|');
      groups.set(key, [...(groups.get(key) ?? []), place]);
    }
    return [...groups.values()].map((group) => rowOf(title, group));
  });
  return table(['', 'places', 'tools', 'why'], rows);
}

function rowOf(title, group) {
  const [{ where, protection, reason }] = group;
  const names = group
    .map(({ path }) => path)
    .filter((path, _index, paths) => !paths.some((other) => path.startsWith(`${other}/`)))
    .map((path) => code(path.replace(String(UID), 'UID')));
  return [title, WHERE[where] + names.join(', '), protection === 'hidden' ? 'nothing' : 'read', reason];
}
