/** Official clients end the connection on a line of more than 10 MB; some of that is envelope. */
const LONGEST_ANSWER = 10 * 1024 * 1024 - 64 * 1024;
/** `\u0000` is what one character takes at most. */
const LONGEST_ESCAPE = 6;

/** The most a tool reads of text for one answer: escaped, that nearly always fits. */
export const MOST_TEXT_BYTES: number = 8 * 1024 * 1024;
/** The same for bytes, which grow by a third as base64. */
export const MOST_MEDIA_BYTES: number = 7 * 1024 * 1024;

/** Whether a client can take a text in one answer. */
export function fitsAnswer(text: string): boolean {
  if (text.length * LONGEST_ESCAPE <= LONGEST_ANSWER) return true;
  return Buffer.byteLength(JSON.stringify(text)) <= LONGEST_ANSWER;
}

/** The same for anything else; `characters` is at most as much as it was made of, each used twice at most. */
export function fitsAnswerAsJson(value: object, characters: number): boolean {
  if (characters * 2 * LONGEST_ESCAPE <= LONGEST_ANSWER) return true;
  return Buffer.byteLength(JSON.stringify(value)) <= LONGEST_ANSWER;
}
