/** The time to match grows with a power of the repetitions in one name, and of those over folders. */
const MOST_REPEATS_PER_NAME = 3;
const MOST_DEEP_STARS = 4;
/** Alternatives after one another multiply: `{a,a}{a,a}` has four ways to match. */
const MOST_WAYS = 1000;

/**
 * Why a glob could take a regular expression minutes, and everything else with it; undefined where it cannot. Globs come
 * from models and repositories, and so do the names they are matched with.
 */
export function globCost(glob: string): string | undefined {
  if (/[+*]\(|\)[+*{]/.test(glob)) return 'groups that repeat are not supported';
  const names = glob.split('/');
  if (names.some((name) => name !== '**' && name.split(/[*+]/).length - 1 > MOST_REPEATS_PER_NAME)) {
    return `a name has more than ${MOST_REPEATS_PER_NAME} stars`;
  }
  if (names.filter((name) => name === '**').length > MOST_DEEP_STARS) {
    return `it has more than ${MOST_DEEP_STARS} times "**"`;
  }
  return waysToMatch(glob) > MOST_WAYS ? 'it has too many alternatives' : undefined;
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
