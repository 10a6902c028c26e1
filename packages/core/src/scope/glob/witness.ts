import { alternatives } from './measure.js';

/** One alternative of a glob, and paths of which it should match at least one. */
export interface Witness {
  /** Without groups; classes and escaped characters stand for themselves. */
  readonly alternative: string;
  readonly paths: readonly string[];
}

/** Characters of the private use area take the place of classes and escaped characters. */
const FIRST_MARK = 0xe000;
const MARK = /[\uE000-\uF8FF]/g;
const ESCAPE_OR_CLASS = /\\(.)|\[[!^]?\]?(?:\[:[a-z]+:\]|\\.|[^\]\\])*\]/gs;
/** A negated group, with at most one level of groups in it. */
const NEGATED = /!\((?:[^()]|\([^()]*\))*\)/g;
/** Names that stars stand for: a negated group may exclude some of them. */
const FILLERS: readonly string[] = ['x', 'q7', '0'];
const PRINTABLE: readonly string[] = Array.from({ length: 94 }, (_, index) =>
  String.fromCharCode(index + 33),
).filter((character) => character !== '/');

/**
 * Paths that the alternatives of a glob should match, to find out whether each can match anything. `isInClass` says
 * whether a character belongs to a class.
 */
export function witnessesOf(
  glob: string,
  isInClass: (text: string, character: string) => boolean,
): readonly Witness[] {
  const marked: { readonly text: string; readonly character: string }[] = [];
  const plain = glob
    .replace(ESCAPE_OR_CLASS, (text: string, escaped: string | undefined) => {
      const found =
        escaped ??
        Array.from(text)
          .concat(PRINTABLE)
          .find((each) => each !== '/' && isInClass(text, each));
      marked.push({ text, character: found ?? '' });
      return String.fromCharCode(FIRST_MARK + marked.length - 1);
    })
    .replace(NEGATED, '*');
  const unmark = (text: string, as: 'text' | 'character'): string =>
    text.replace(MARK, (mark) => marked[mark.charCodeAt(0) - FIRST_MARK]?.[as] ?? mark);
  return alternatives(plain).map((alternative) => {
    const paths = FILLERS.map((filler) => unmark(alternative.replace(/\*+|\?/g, filler), 'character'));
    return {
      alternative: unmark(alternative, 'text'),
      paths: paths.flatMap((path) => [path, path.replaceAll('"', '')].concat(path.split('|'))),
    };
  });
}
