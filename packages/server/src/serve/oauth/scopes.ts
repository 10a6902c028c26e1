import { TOOLSET_NAMES, type ToolsetName } from '../../settings/values/option-values.js';

const ALL = 'rootward';
const READ = 'rootward:read';
/** Without executables and wrapped servers: nothing makes those that say they change nothing keep their word. */
const READABLE = TOOLSET_NAMES.filter((name) => name !== 'exec');

/** The scopes that mean something here, the widest first. */
export const SCOPES: readonly string[] = [
  ALL,
  READ,
  ...TOOLSET_NAMES.map((name) => scopeFor(name)),
  ...READABLE.map((name) => scopeFor(name, true)),
];

/** What a token allows: all that its scopes allow together. What belongs to no toolset needs that of executables. */
export interface Access {
  /** Toolsets whose tools may all be used. */
  readonly toolsets: readonly ToolsetName[];
  /** Further toolsets, of which those tools may be used that change nothing. */
  readonly reads: readonly ToolsetName[];
}

export const EVERYTHING: Access = { toolsets: TOOLSET_NAMES, reads: [] };

/** The narrowest scope that allows the tools of a toolset, or those of them that change nothing. */
export function scopeFor(toolset: ToolsetName, changesNothing = false): string {
  return changesNothing ? `${ALL}:${toolset}:read` : `${ALL}:${toolset}`;
}

/** Undefined where none of the scopes is ours. What the operator allows is the limit, whatever a token says. */
export function accessOf(scopes: readonly string[]): Access | undefined {
  const has = (...names: readonly string[]): boolean => names.some((name) => scopes.includes(name));
  const toolsets = TOOLSET_NAMES.filter((name) => has(ALL, scopeFor(name)));
  const reads = READABLE.filter((name) => !toolsets.includes(name) && has(READ, scopeFor(name, true)));
  return toolsets.length + reads.length === 0 ? undefined : { toolsets, reads };
}

/** What goes along with whom a request comes from. Everything, for a token that says nothing of it. */
export function accessFrom(extra: Readonly<Record<string, unknown>> | undefined): Access {
  const written = extra?.['access'];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written where the token was checked
  return typeof written === 'string' ? (JSON.parse(written) as Access) : EVERYTHING;
}
