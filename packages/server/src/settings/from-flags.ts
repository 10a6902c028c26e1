import { expandHome } from '@rootward/core/platform';
import type { OptionValues } from './values/option-values.js';
import { attributeName, flagName, OPTIONS } from './values/options.js';

/** What a command line parser hands over, by attribute name. */
export type ParsedFlags = Readonly<Record<string, unknown>>;

/**
 * What the command line says. `directory` is what its relative paths are relative to. `~` is the home directory also
 * where no shell made it that, as in the configuration of a client.
 */
export function fromFlags(
  flags: ParsedFlags,
  positional: readonly string[],
  { directory, home }: { readonly directory: string; readonly home: string },
): OptionValues {
  const given = OPTIONS.map((spec): OptionValues => {
    const [first, ...rest] = textsOf(flags[attributeName(spec)]);
    if (first === undefined) return {};
    return spec.read([first, ...rest], { name: flagName(spec), base: directory, home });
  });
  const values: OptionValues = Object.assign({}, ...given);
  const roots = [...positional, ...(values.roots ?? [])].map((path) => expandHome(path, home));
  if (roots.length === 0) return values;
  return { ...values, roots, rootsOrigin: originOf(positional.length > 0, values.roots !== undefined) };
}

/** What messages call the place roots come from. */
function originOf(byArgument: boolean, byFlag: boolean): string {
  if (!byArgument) return '--root';
  return byFlag ? 'an argument or --root' : 'an argument';
}

function textsOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.map(String);
  return typeof value === 'string' || typeof value === 'boolean' ? [String(value)] : [];
}
