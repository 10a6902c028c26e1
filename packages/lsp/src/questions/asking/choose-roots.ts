import { RootwardError, type Root, type Scope } from '@rootward/core';

const MAX_NAMED = 5;

/** The roots a question is about: all, one by its name, or a folder or file in one, which then stands for it. */
export async function chooseRoots(scope: Scope, named: string | undefined): Promise<readonly Root[]> {
  if (scope.roots.length === 0) {
    throw new RootwardError('no-roots', 'Cannot look for code: there are no roots', {
      instruction: 'Open a folder in the client, or start the server with --root',
    });
  }
  if (named === undefined) return scope.roots;
  const byName = scope.roots.filter(({ name, path }) => name === named || path === named);
  if (byName.length > 0) return byName;
  const { root, path } = scope.locate(named);
  // A name that is misspelt reads as a path in the first root.
  const { kind } = await scope.stat(named).catch((error: unknown) => {
    throw isMissing(error) ? noSuchRoot(scope, named) : error;
  });
  return [
    {
      ...root,
      path,
      kind: kind === 'directory' ? 'directory' : 'file',
      broad: root.broad && path === root.path,
    },
  ];
}

function isMissing(error: unknown): boolean {
  return error instanceof RootwardError && error.code === 'not-found';
}

function noSuchRoot(scope: Scope, named: string): RootwardError {
  const names = scope.roots.slice(0, MAX_NAMED).map(({ name }) => `"${name}"`);
  const more = scope.roots.length > MAX_NAMED ? ' and others' : '';
  return new RootwardError(
    'not-found',
    `Cannot look for code in "${named}": no root has that name, and none has that path in it`,
    {
      path: named,
      instruction: `Leave it out, or name one of the roots: ${names.join(', ')}${more}`,
    },
  );
}
