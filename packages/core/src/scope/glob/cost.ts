import { CHEAP_REPEATS, freedomOf, measureAll } from './measure.js';
import { splitByName } from './names.js';

/** The time to match grows with a power of the repetitions in one name, and of those over folders. */
const MAX_REPEATS_PER_NAME = 3;
const MAX_DEEP_STARS = 4;
const MAX_DEAR_WAYS = 20;
const MAX_DEAR_NAMES = 20;
/** Where one regular expression matches the whole path, so many places may depend on each other. */
const MAX_FREEDOM = 1;
/** Alternatives after one another multiply: `{a,a}{a,a}` has four ways to match. */
const MAX_WAYS = 1000;
/**
 * Why matching a glob could block everything for minutes; undefined if it cannot. Globs come from models and
 * repositories, and so do the names they are matched with.
 */
export function globCost(glob: string): string | undefined {
  if (/[+*]\(|[)}]\+/.test(glob)) return 'groups that repeat are not supported';
  if (waysToMatch(glob) > MAX_WAYS) return 'it has too many alternatives';
  const ways = measureAll(glob);
  if (ways.some(({ repeats }) => repeats > MAX_REPEATS_PER_NAME)) {
    return `a name has more than ${MAX_REPEATS_PER_NAME} stars`;
  }
  if (ways.some(({ deep }) => deep > MAX_DEEP_STARS)) return `it has more than ${MAX_DEEP_STARS} times "**"`;
  if (glob.includes('/') && splitByName(glob) === undefined && freedomOf(glob) > MAX_FREEDOM) {
    return 'it has too many stars for one whose names cannot be told apart';
  }
  if (ways.some((way) => way.dear > MAX_DEAR_NAMES)) return 'it has too many names with many stars';
  const dear = ways.filter(({ repeats, deep }) => repeats > CHEAP_REPEATS || deep > CHEAP_REPEATS);
  return dear.length > MAX_DEAR_WAYS ? 'it has too many alternatives with many stars' : undefined;
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
