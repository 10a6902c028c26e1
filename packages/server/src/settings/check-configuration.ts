import { isObject } from '@rootward/core/platform';
import type { OptionValues } from './values/option-values.js';
import { checkAgainst, type Checked } from './check-against.js';
import { findLooseEntries } from './roots-file.js';
import type { WantedLevel } from '@rootward/sandbox';
import type { WrittenSandbox } from './values/sandbox-settings.js';
import type { HistoryBounds, HistoryModeName } from './values/history-settings.js';
import { configurationSchema, rootSchema } from './configuration-schema.js';

/** What only other places say, or say in another form. */
type NotInFile =
  | 'config'
  | 'roots'
  | 'rootsOrigin'
  | 'toolEnvironment'
  | 'tokens'
  | 'storeFile'
  | `sandbox${string}`
  | `history${string}`;

/** What `rootward.json` may say. */
export interface Configuration extends Omit<OptionValues, Extract<keyof OptionValues, NotInFile>> {
  readonly roots?: readonly unknown[];
  readonly deny?: readonly string[];
  readonly denyAbsolute?: readonly string[];
  readonly toolEnv?: string;
  readonly sandbox?: WantedLevel | WrittenSandbox;
  readonly token?: string;
  readonly history?:
    | HistoryModeName
    | ({ readonly mode?: HistoryModeName; readonly exec?: boolean } & HistoryBounds);
}

/** Checks parsed JSON. Of the entries of `roots`, one whose path is bad is skipped later, and the others count. */
export function checkConfiguration(value: unknown): Checked<Configuration> {
  const settled = isObject(value) && Array.isArray(value['roots']) ? { ...value, roots: [] } : value;
  const checked = checkAgainst<Configuration>(configurationSchema, settled);
  if (!checked.ok) return checked;
  if (!isObject(value) || !Array.isArray(value['roots'])) return checked;
  const { roots } = value;
  const problems = findLooseEntries(roots);
  if (problems.length > 0) return { ok: false, problems };
  return { ok: true, configuration: { ...checked.configuration, roots } };
}

/** What is wrong with the entries of `roots`. None of it keeps a server from starting. */
export function findRootProblems(roots: unknown): readonly string[] {
  if (!Array.isArray(roots)) return [];
  return roots.flatMap((value: unknown, index) => {
    if (rootSchema.safeParse(value).success) return [];
    const fault = `"roots.${index}" is ${JSON.stringify(value)}, expected`;
    const hasPath = isObject(value) && typeof value['path'] === 'string' && value['path'] !== '';
    return [
      hasPath
        ? `${fault} a "name" that is text and an "access" of read-write or read-only`
        : `${fault} a path, or an object with a "path"`,
    ];
  });
}
