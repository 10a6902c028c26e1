import type { OptionValues } from './option-values.js';
import { attributeName, flagName, OPTIONS } from './options.js';

/** What a command line parser hands over, by attribute name. */
export type ParsedFlags = Readonly<Record<string, unknown>>;

/** What the command line says. `directory` is what its relative paths are relative to. */
export function fromFlags(
  flags: ParsedFlags,
  positional: readonly string[],
  directory: string,
): OptionValues {
  const said = OPTIONS.map((spec): OptionValues => {
    const [first, ...rest] = textsOf(flags[attributeName(spec)]);
    if (first === undefined) return {};
    return spec.read([first, ...rest], { name: flagName(spec), base: directory });
  });
  const values: OptionValues = Object.assign({}, ...said);
  const roots = [...positional, ...(values.roots ?? [])];
  return roots.length === 0 ? values : { ...values, roots };
}

function textsOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.map(String);
  return typeof value === 'string' || typeof value === 'boolean' ? [String(value)] : [];
}
