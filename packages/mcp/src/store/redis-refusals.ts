import { ErrorReply, MultiErrorReply } from '@redis/client';

/** What an answer of the server means, by its first word. */
const MEANINGS: Readonly<Record<string, string>> = {
  LOADING: 'it still loads its data',
  MASTERDOWN: 'it is a replica without its primary',
  MISCONF: 'it cannot save its data',
  NOAUTH: 'it asks for a password',
  NOPERM: 'its user lacks a right',
  NOREPLICAS: 'it lacks replicas to write to',
  OOM: 'its memory is full',
  READONLY: 'it is a replica',
  WRONGPASS: 'it refuses the password',
};

/**
 * While it answers so, nothing that is written arrives, what is read may be old, or something that is needed is not
 * allowed. A full one can still be read.
 */
const USELESS: ReadonlySet<string> = new Set([
  'LOADING',
  'MASTERDOWN',
  'MISCONF',
  'NOAUTH',
  'NOPERM',
  'NOREPLICAS',
  'READONLY',
]);

/** The word with which a server refused a command; undefined for any other error. */
export function refusalOf(error: unknown): string | undefined {
  const reply: unknown = error instanceof MultiErrorReply ? [...error.errors()][0] : error;
  if (!(reply instanceof ErrorReply)) return undefined;
  // A transaction that is given up names the refusal that it was given up for.
  return /^(?:EXECABORT [^:]*: )?([A-Z]+)/.exec(reply.message)?.[1] ?? 'ERR';
}

/** Whether a server that refuses so is of no use at all now. */
export function isUseless(refusal: string | undefined): boolean {
  return refusal !== undefined && USELESS.has(refusal);
}

/** The right to a command, as `ACL SETUSER` grants it, that an error says is missing. */
export function missingCommand(error: unknown): string | undefined {
  const command = refusalOf(error) === 'NOPERM' ? /'([^']+)' command/.exec(String(error))?.[1] : undefined;
  return command === undefined ? undefined : `+${command}`;
}

/** Without the words of the server, which name users and scripts. Undefined for any other error. */
export function describeRefusal(error: unknown): string | undefined {
  const refusal = refusalOf(error);
  if (refusal === undefined) return undefined;
  const right = missingCommand(error);
  const meaning =
    right === undefined ? (MEANINGS[refusal] ?? 'it refused a command') : `its user lacks ${right}`;
  return `${meaning} (${refusal})`;
}
