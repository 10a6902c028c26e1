import type { Sources } from '@rootward/core';
import { RootwardServerError } from '../error.js';
import type { Settings } from '../settings/settings.js';

type Rules = Pick<Settings, 'readOnly' | 'origins' | 'files'>;

export const NOT_ENFORCED =
  'a wrapped server runs without a sandbox, so these rules do not hold for it; with level write or strict they do';

/** Throws `usage` where the operator wants no changes, and a wrapped server would run without a sandbox. */
export function refuseReadOnly({ readOnly, origins }: Rules): void {
  if (!readOnly) return;
  throw new RootwardServerError(
    'usage',
    `Cannot use ${origins.readOnly ?? '--read-only'} for a wrapped server without a sandbox: nothing would keep it from writing; add --sandbox write or --sandbox strict`,
  );
}

/** What the operator forbids in the roots and only a sandbox enforces on a wrapped server, as messages call it. */
export function rulesForSandbox(
  { readOnly, origins, files }: Rules,
  { readOnly: readOnlyRoots }: Pick<Sources, 'readOnly'>,
): readonly string[] {
  const inFiles = (['deny', 'denyAbsolute'] as const).flatMap((key) =>
    files.filter((each) => each[key].length > 0).map(({ file }) => `"${key}" in ${file}`),
  );
  return [
    ...(readOnly ? [origins.readOnly ?? '--read-only'] : []),
    ...readOnlyRoots.map(({ path }) => `the read-only root ${path}`),
    ...inFiles,
  ];
}
