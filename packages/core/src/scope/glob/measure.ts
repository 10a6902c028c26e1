/** Up to so many stars in a name, and `**` in a glob, it does not matter how many such names and globs there are. */
export const CHEAP_REPEATS = 2;
/**
 * A class of characters without any that is special elsewhere in a glob. A bracket right after a negation does not
 * close the class: `[!]a/b]` is one.
 */
export const PLAIN_CLASS: RegExp = /\[(?![!^]\])[\w^!.-]+\]/g;
/** With these, a bracket or comma may be a plain character, and a group may not be a group. */
const QUOTED = /["[\]\\]/;
/** A group without another one in it. Braces without a comma are plain characters. */
const GROUP = /\{([^{},()]*,[^{}()]*)\}|[@?]?\(([^{}()]*)\)/;

/** The globs without groups that stand for the same names. A regular expression tries one after the other. */
export function alternatives(glob: string): readonly string[] {
  const group = GROUP.exec(glob);
  if (group === null) return [glob];
  const [text, inBraces, inParentheses = ''] = group;
  const inside = inBraces === undefined ? inParentheses.split('|') : inBraces.split(',');
  const before = glob.slice(0, group.index);
  const after = glob.slice(group.index + text.length);
  return inside.flatMap((each) => alternatives(before + each + after));
}

/** Whether a name that starts with a group can match the empty string: unlike elsewhere, a star in a group can. */
export function mayBeEmpty(name: string): boolean {
  if (!/^[{@?(]/.test(name)) return false;
  return alternatives(name.replaceAll('?(', '(|')).some((way) => /^\**$/.test(way));
}

/**
 * How many places in a glob can move against each other in one path: each multiplies the ways to match it. A `**` at
 * the end is where it ends, and the first one, like the first star of a name, has nothing to move against.
 */
export function freedomOf(glob: string): number {
  return Math.max(...measureAll(glob).map(({ freedom }) => freedom));
}

/** What the cost of a glob without groups depends on. */
interface Measure {
  /** Of the name that has most. */
  readonly repeats: number;
  readonly deep: number;
  readonly freedom: number;
  /** Names with many stars. */
  readonly dear: number;
}

export function measureAll(glob: string): readonly Measure[] {
  // `!(` is a star with exceptions.
  const plain = glob.replaceAll(PLAIN_CLASS, 'x').replaceAll('!(', '*(');
  return (QUOTED.test(plain) ? [plain] : alternatives(plain)).map(measure);
}

function measure(glob: string): Measure {
  const names = glob.split('/');
  const repeats = names.filter((name) => name !== '**').map((name) => name.split(/[*+]/).length - 1);
  const deep = names.length - repeats.length;
  const moving = deep - (names.at(-1) === '**' ? 1 : 0);
  return {
    repeats: Math.max(0, ...repeats),
    deep,
    freedom: repeats.reduce((sum, count) => sum + Math.max(0, count - 1), Math.max(0, moving - 1)),
    dear: repeats.filter((count) => count > CHEAP_REPEATS).length,
  };
}
