import { freedomOf, mayBeEmpty, PLAIN_CLASS } from './measure.js';

/** Any number of names. */
export const DEEP = '**';
/**
 * A name that means the same alone as in a path: no quoting, no negation, nothing that repeats a separator, no group
 * that a `?` behind it makes optional, none of the characters that picomatch leaves bare in a lone name when doubled.
 */
const PLAIN_NAME = /^(?![+!])(?!.*(?:\*\*|!\(|[[\]\\"']|\)\?(?!\()|\$\$|\^\^|\+\+)).+$/s;

/**
 * The names of a glob that must and can be matched name by name. If it must but cannot, `globCost` limits what one
 * regular expression has to try.
 */
export function splitByName(glob: string): readonly string[] | undefined {
  if (!glob.includes('/') || freedomOf(glob) === 0) return undefined;
  const names = splitOutsideGroups(glob);
  return names?.every(isPlain) === true ? names : undefined;
}

function isPlain(name: string): boolean {
  if (name === DEEP) return true;
  const plain = name.replaceAll(PLAIN_CLASS, 'x');
  // Where no name is left, its separator may be missing as well, and the glob stands for the folder above, too.
  return name !== '.' && name !== '..' && PLAIN_NAME.test(plain) && !mayBeEmpty(plain);
}

/** Undefined where a group spans a separator, or a `|` stands outside of groups and thus between whole globs. */
function splitOutsideGroups(glob: string): readonly string[] | undefined {
  let depth = 0;
  for (const character of glob) {
    if (character === '{' || character === '(') depth++;
    else if (character === '}' || character === ')') depth--;
    else if (depth > 0 ? character === '/' : character === '|') return undefined;
    if (depth < 0) return undefined;
  }
  return depth === 0 ? glob.split('/') : undefined;
}
