import { RootwardServerError } from '../../../error.js';

/** The variables of `--set-env`. Throws `usage` for what is not written as `NAME=VALUE`. */
export function readVariables(given: readonly string[] = []): Readonly<Record<string, string>> {
  return Object.fromEntries(given.map(readVariable));
}

function readVariable(text: string): readonly [name: string, value: string] {
  const split = text.indexOf('=');
  if (split > 0) return [text.slice(0, split), text.slice(split + 1)];
  throw new RootwardServerError(
    'usage',
    `Cannot use ${JSON.stringify(text)} as --set-env: expected NAME=VALUE`,
  );
}
