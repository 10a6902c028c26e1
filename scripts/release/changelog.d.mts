export function releaseChangelog(
  text: string,
  version: string,
  date: string,
): { readonly text: string; readonly count: number };
