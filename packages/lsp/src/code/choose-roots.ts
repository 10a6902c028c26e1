import { RootwardError } from '@rootward/core';
import type { Root, Scope } from '@rootward/core';

/** The roots a question is about: all, or the one that was named, by its name or a path in it. */
export function chooseRoots(scope: Scope, named: string | undefined): readonly Root[] {
  if (scope.roots.length === 0) {
    throw new RootwardError('no-roots', 'Cannot look for code: there are no roots', {
      instruction: 'Open a folder in the client, or start the server with --root',
    });
  }
  if (named === undefined) return scope.roots;
  const byName = scope.roots.filter(({ name, path }) => name === named || path === named);
  return byName.length > 0 ? byName : [scope.locate(named).root];
}
