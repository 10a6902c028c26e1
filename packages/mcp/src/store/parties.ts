/**
 * The client and the subject of a principal as `describePrincipal` writes it, whatever its token allows: limits and
 * revocations hold for all of it.
 */
export function partiesOf(principal: string): readonly string[] {
  const names: unknown = principal === '' ? [] : JSON.parse(principal);
  if (!Array.isArray(names)) return [];
  return names.slice(0, 2).map((name: unknown) => (typeof name === 'string' ? name : ''));
}
