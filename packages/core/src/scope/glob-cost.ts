/** The time to match grows with a power of the repetitions in one name, and of those over folders. */
const MOST_REPEATS_PER_NAME = 3;
const MOST_DEEP_STARS = 4;
/** Up to these it does not matter how many alternatives there are. */
const CHEAP_REPEATS = 2;
const MOST_DEAR_WAYS = 20;
/** Alternatives after one another multiply: `{a,a}{a,a}` has four ways to match. */
const MOST_WAYS = 1000;
/** One character of some; without any that means something elsewhere in a glob. */
const PLAIN_CLASS = /\[[\w^!.-]+\]/g;
/** With these, a bracket or comma may be a plain character, and a group no group. */
const QUOTED = /["[\]\\]/;
/** A group without another one in it. Braces without a comma are plain characters. */
const GROUP = /\{([^{},()]*,[^{}()]*)\}|[@?]?\(([^{}()]*)\)/;

/**
 * Why a glob could take a regular expression minutes, and everything else with it; undefined where it cannot. Globs come
 * from models and repositories, and so do the names they are matched with.
 */
export function globCost(glob: string): string | undefined {
  if (/[+*]\(|[)}]\+/.test(glob)) return 'groups that repeat are not supported';
  if (waysToMatch(glob) > MOST_WAYS) return 'it has too many alternatives';
  // `!(` is a star with exceptions.
  const plain = glob.replaceAll(PLAIN_CLASS, 'x').replaceAll('!(', '*(');
  const ways = (QUOTED.test(plain) ? [plain] : alternatives(plain)).map(measure);
  if (ways.some(({ repeats }) => repeats > MOST_REPEATS_PER_NAME)) {
    return `a name has more than ${MOST_REPEATS_PER_NAME} stars`;
  }
  if (ways.some(({ deep }) => deep > MOST_DEEP_STARS))
    return `it has more than ${MOST_DEEP_STARS} times "**"`;
  const dear = ways.filter(({ repeats, deep }) => repeats > CHEAP_REPEATS || deep > CHEAP_REPEATS);
  return dear.length > MOST_DEAR_WAYS ? 'it has too many alternatives with many stars' : undefined;
}

/** At most so many: the alternatives of all groups, multiplied. A group in parentheses may also be left out. */
function waysToMatch(glob: string): number {
  const open: number[] = [];
  let ways = 1;
  for (const character of glob) {
    if (character === '{') open.push(1);
    else if (character === '(') open.push(2);
    else if (character === ',' || character === '|') open.push((open.pop() ?? 0) + 1);
    else if (character === '}' || character === ')') ways *= open.pop() ?? 1;
  }
  return ways;
}

/** The globs without groups that stand for the same names. A regular expression tries one after the other. */
function alternatives(glob: string): readonly string[] {
  const group = GROUP.exec(glob);
  if (group === null) return [glob];
  const [text, inBraces, inParentheses = ''] = group;
  const inside = inBraces === undefined ? inParentheses.split('|') : inBraces.split(',');
  const before = glob.slice(0, group.index);
  const after = glob.slice(group.index + text.length);
  return inside.flatMap((each) => alternatives(before + each + after));
}

function measure(glob: string): { readonly repeats: number; readonly deep: number } {
  const names = glob.split('/');
  const others = names.filter((name) => name !== '**');
  const repeats = others.reduce((most, name) => Math.max(most, name.split(/[*+]/).length - 1), 0);
  return { repeats, deep: names.length - others.length };
}
