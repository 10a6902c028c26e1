export function splitBundle(
  code: string,
  parts: { readonly isFirst: (path: string) => boolean; readonly isRest: (path: string) => boolean },
): { readonly first: string; readonly rest: string };
