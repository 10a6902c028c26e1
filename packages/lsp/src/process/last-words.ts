const MAX_CHARS = 200;
/** As Node and Python write them. Below it Node adds the stack and its own version. */
const ERROR = /^(?:\w+\.)*\w*Error\b.*:/;

/** The one line of what a program wrote before it failed that says why, in brackets; empty where it wrote nothing. Pure. */
export function lastWords(written: string): string {
  const lines = written
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const line = lines.findLast((each) => ERROR.test(each)) ?? lines.at(-1);
  return line === undefined ? '' : ` (${line.slice(0, MAX_CHARS).toWellFormed()})`;
}
