import { RootwardLspError } from '../../error.js';
import { MAX_NAME_CHARS } from '../../filter/conceal-paths.js';
import { reservedWords } from './reserved-words.js';

/** What a name has in no language, unless the language has quotes for names, as Kotlin and F# do. */
const NOT_IN_NAMES = /[\s\p{Cc}(){}[\];,]/u;
const QUOTED = /^(`+)[^`\p{Cc}]+\1$/u;
/** What a symbol is in. The mark of a private field (`#count`) and of a raw name (`r#type`) belongs to the name itself. */
const CONTAINER = /^.+(?:::|\.|(?<!(?:^|[.:])r?)#)/su;

/** In languages with reserved words, a name starts with a letter; some put a mark before or behind it. */
const IDENTIFIER = /^(?:[#~]|r#)?[\p{L}\p{M}_$@][\p{L}\p{M}\p{N}_$]*[?!]?$/u;
/** A function of a shell may have nearly any name. */
const FREE_NAMES: ReadonlySet<string> = new Set(['shellscript']);

/**
 * Refuses a new name that is not a name, or is a reserved word: not every server checks this, and it would end
 * up in every file.
 */
export function requireName(newName: string, symbol: string, languageId = ''): void {
  const shown = JSON.stringify(newName.slice(0, MAX_NAME_CHARS).toWellFormed());
  const refuse = (state: string, instruction = 'Pass one word, as it should appear in the code'): never => {
    throw new RootwardLspError('invalid-option', `Cannot rename to ${shown}: ${state}`, { instruction });
  };
  const isQuoted = QUOTED.test(newName);
  if (newName === '' || (NOT_IN_NAMES.test(newName) && !isQuoted)) refuse('it is not a name');
  // Asking for `Cart.total`, one may well write `Cart.sum`; only the last part is what is renamed.
  const container = CONTAINER.exec(symbol)?.[0];
  if (container !== undefined && newName.startsWith(container)) {
    const alone = JSON.stringify(newName.slice(container.length));
    refuse('it also names what the symbol is in', `Give the new name alone: ${alone}`);
  }
  const reserved = reservedWords[languageId];
  if (reserved?.has(newName) === true) refuse(`${languageId} keeps this word for itself`);
  const isFree = reserved === undefined || isQuoted || FREE_NAMES.has(languageId);
  if (!isFree && !IDENTIFIER.test(newName)) refuse(`it is not a name in ${languageId}`);
}
