/** Any number of folders, where an alternative of a group starts. */
const DEEP_START = /(?<=[{(,|])\*\*\//g;

// Without this, picomatch does not match `a` with `{**/a,**/b}`, and a name that should be denied is not.
/** A glob for picomatch in which two stars at the start of an alternative may match no folder, too. */
export function withDeepGroups(glob: string): string {
  const first = glob.search(/[{(]/);
  if (first < 0) return glob;
  return glob.slice(0, first) + glob.slice(first).replaceAll(DEEP_START, '{,**/}');
}
