/** Official clients end the connection on a line of more than 10 MB; some of that is envelope. */
const MAX_ANSWER_LENGTH = 10 * 1024 * 1024 - 64 * 1024;
/** The most that one character can take, as in `\u0000`. */
const MAX_ESCAPE_LENGTH = 6;

/** The most a tool reads of text for one answer: escaped, that nearly always fits. */
export const MAX_TEXT_BYTES: number = 8 * 1024 * 1024;
/** The same for bytes, which grow by a third as base64. */
export const MAX_MEDIA_BYTES: number = 7 * 1024 * 1024;

/** Whether a text fits into one answer. */
export function fitsAnswer(text: string): boolean {
  if (text.length * MAX_ESCAPE_LENGTH <= MAX_ANSWER_LENGTH) return true;
  return Buffer.byteLength(JSON.stringify(text)) <= MAX_ANSWER_LENGTH;
}

/** The same for anything else; `characters` is at most as much as it was made of, each used twice at most. */
export function fitsAnswerAsJson(value: object, characters: number): boolean {
  if (characters * 2 * MAX_ESCAPE_LENGTH <= MAX_ANSWER_LENGTH) return true;
  return Buffer.byteLength(JSON.stringify(value)) <= MAX_ANSWER_LENGTH;
}
