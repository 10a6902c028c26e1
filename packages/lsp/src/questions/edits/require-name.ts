import { RootwardLspError } from '../../error.js';
import { MAX_NAME_CHARS } from '../../filter/conceal-paths.js';

/** What a name has in no language, unless the language has quotes for names, as Kotlin and F# do. */
const NOT_IN_NAMES = /[\s\p{Cc}(){}[\];,]/u;
const QUOTED = /^(`+)[^`\p{Cc}]+\1$/u;
/** What a symbol is in. The mark of a private field (`#count`) and of a raw name (`r#type`) belongs to the name itself. */
const AROUND = /^.+(?:::|\.|(?<!(?:^|[.:])r?)#)/su;

/**
 * Refuses a new name that is none: not every server looks at it, and it would end up in every file. Does NOT know the
 * words that a language keeps for itself.
 */
export function requireName(newName: string, symbol: string): void {
  const shown = JSON.stringify(newName.slice(0, MAX_NAME_CHARS).toWellFormed());
  if (newName === '' || (NOT_IN_NAMES.test(newName) && !QUOTED.test(newName))) {
    throw new RootwardLspError('invalid-option', `Cannot rename to ${shown}: it is no name`, {
      instruction: 'Give one word, as it shall stand in the code',
    });
  }
  // Who asks for `Cart.total` may well write `Cart.sum`; only the last part is what is renamed.
  const around = AROUND.exec(symbol)?.[0];
  if (around !== undefined && newName.startsWith(around)) {
    const alone = JSON.stringify(newName.slice(around.length));
    throw new RootwardLspError(
      'invalid-option',
      `Cannot rename to ${shown}: it names what it is in as well`,
      {
        instruction: `Give the new name alone: ${alone}`,
      },
    );
  }
}
