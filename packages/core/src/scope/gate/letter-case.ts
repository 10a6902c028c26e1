/** Systems whose disks usually treat `A` and `a` as the same name. */
export const CASE_INSENSITIVE: boolean = process.platform === 'darwin' || process.platform === 'win32';

/** A form in which two spellings of the same path are equal on such systems. Only used to refuse. */
export function foldCase(path: string): string {
  return CASE_INSENSITIVE ? path.toLowerCase() : path;
}
