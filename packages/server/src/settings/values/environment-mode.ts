/** What of the server's own environment a tool gets to see. */
export type EnvironmentMode =
  | { readonly kind: 'minimal' }
  | { readonly kind: 'inherit' }
  | { readonly kind: 'allow'; readonly names: readonly string[] };

export const MINIMAL: EnvironmentMode = { kind: 'minimal' };

/** How each mode starts, for help and completion. */
export const ENVIRONMENT_MODES: readonly string[] = ['minimal', 'inherit', 'allow:'];

/** `minimal`, `inherit` or `allow:A,B`; undefined for anything else. */
export function readEnvironmentMode(text: string): EnvironmentMode | undefined {
  if (text === 'minimal' || text === 'inherit') return { kind: text };
  if (!text.startsWith('allow:')) return undefined;
  const names = text
    .slice('allow:'.length)
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  return names.length > 0 && names.every((name) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
    ? { kind: 'allow', names }
    : undefined;
}
