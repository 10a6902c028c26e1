import { sep } from 'node:path';

/** The longest path that the system accepts. */
export const MAX_PATH_LENGTH: number = sep === '/' ? 4096 : 32_767;

function isSeparator(character: string | undefined): boolean {
  return character === '/' || character === sep;
}

/** `a/` and `a//` name a folder, never a file. */
export function endsInSeparator(path: string): boolean {
  return isSeparator(path.at(-1));
}

function trimSeparators(path: string): string {
  let end = path.length;
  while (end > 0 && isSeparator(path[end - 1])) end--;
  return path.slice(0, end);
}

/** Cuts off the last component: `/a/b/` gives `/a/` and `b`. The head of `/` and of a bare name is empty. */
export function splitLast(path: string): { readonly head: string; readonly name: string } {
  const trimmed = trimSeparators(path);
  let end = trimmed.length;
  while (end > 0 && !isSeparator(trimmed[end - 1])) end--;
  return { head: trimmed.slice(0, end), name: trimmed.slice(end) };
}
