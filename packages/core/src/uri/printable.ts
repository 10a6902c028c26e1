/** Enough to recognise what was declared. A client must not be able to make messages long. */
export const MAX_PRINTABLE_LENGTH = 200;

// Controls and the Unicode line breaks could forge a log line, and half a surrogate pair is not valid UTF-8.
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** `text` on one line and at most `MAX_PRINTABLE_LENGTH` long, for messages. Not reversible, and never a path to use. */
export function printable(text: string): string {
  const escaped = text.slice(0, MAX_PRINTABLE_LENGTH + 1).replace(UNPRINTABLE, escapeCharacter);
  return escaped.length <= MAX_PRINTABLE_LENGTH ? escaped : `${cutAt(escaped, MAX_PRINTABLE_LENGTH - 1)}…`;
}

/** The first `length` UTF-16 units of `text`, one less where that would split a surrogate pair. */
export function cutAt(text: string, length: number): string {
  const cut = text.slice(0, length);
  return text.length > length && /\p{Cs}$/u.test(cut) ? cut.slice(0, -1) : cut;
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
