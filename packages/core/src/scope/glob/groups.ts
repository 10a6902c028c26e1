/** Any number of folders, where an alternative of a group starts. */
const DEEP_START = /(?<=[{(,|])\*\*\//g;

// Left to itself, picomatch does not find `a` by `{**/a,**/b}`, and what was to be denied would not be.
/** A glob for picomatch in which two stars may stand for no folder at all at the start of an alternative, too. */
export function withDeepGroups(glob: string): string {
  const first = glob.search(/[{(]/);
  if (first < 0) return glob;
  return glob.slice(0, first) + glob.slice(first).replaceAll(DEEP_START, '{,**/}');
}
