/** Systems whose disks usually treat `A` and `a` as the same name. */
export const CASE_INSENSITIVE: boolean = process.platform === 'darwin' || process.platform === 'win32';

/**
 * A form in which two spellings of the same path are equal on such systems. Only used to refuse. By way of
 * capitals, since `ſ` is an `s` for such a disk.
 */
export function foldCase(path: string): string {
  return CASE_INSENSITIVE ? path.toLowerCase().toUpperCase().toLowerCase() : path;
}
