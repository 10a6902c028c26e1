/** Why a text is no JSON, with the line and column where it stops being so; without the text itself, which may hold secrets. */
export function describeJsonFault(text: string, error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const what = message.replace(/ in JSON at position \d+.*$/s, '').replace(/, (?:\.{3})?".*$/s, '');
  if (isCutShort(message)) return what;
  const before = text.slice(0, findFault(text)).split('\n');
  return `${what} at line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}

/** The engine does not always say where: the fault follows the longest start that only needs more to be JSON. */
function findFault(text: string): number {
  let fine = 0;
  let broken = text.length;
  while (broken - fine > 1) {
    const middle = (fine + broken) >> 1;
    if (couldGoOn(text.slice(0, middle))) fine = middle;
    else broken = middle;
  }
  return fine;
}

function couldGoOn(start: string): boolean {
  try {
    JSON.parse(start);
    return true;
  } catch (error) {
    return error instanceof Error && isCutShort(error.message, start.length);
  }
}

/** The parser complains about the end, or at the end. */
function isCutShort(message: string, length?: number): boolean {
  if (/Unexpected end|Unterminated string/.test(message)) return true;
  return length !== undefined && / at position (\d+)/.exec(message)?.[1] === String(length);
}
