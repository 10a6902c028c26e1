import { TOOLSET_NAMES, type ToolsetName } from '../../settings/values/option-values.js';

const ALL = 'rootward';
const READ = 'rootward:read';

/** The scopes that mean something here, the widest first. */
export const SCOPES: readonly string[] = [ALL, READ, ...TOOLSET_NAMES.map((name) => `${ALL}:${name}`)];

/** What a token allows. */
export interface Access {
  readonly readOnly: boolean;
  /** Undefined for all. */
  readonly toolsets?: readonly ToolsetName[];
}

/** Undefined where none of the scopes is ours. What the operator allows is the limit, whatever a token says. */
export function accessOf(scopes: readonly string[]): Access | undefined {
  if (scopes.includes(ALL)) return { readOnly: false };
  const toolsets = TOOLSET_NAMES.filter((name) => scopes.includes(`${ALL}:${name}`));
  const readOnly = scopes.includes(READ);
  if (toolsets.length === 0) return readOnly ? { readOnly } : undefined;
  return { readOnly, toolsets };
}

/** What goes along with whom a request comes from. Everything, for a token that says nothing of it. */
export function accessFrom(extra: Readonly<Record<string, unknown>> | undefined): Access {
  const written = extra?.['access'];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written where the token was checked
  return typeof written === 'string' ? (JSON.parse(written) as Access) : { readOnly: false };
}
