import { createHash } from 'node:crypto';
import { isObject, silentLogger } from '@rootward/core/platform';
import { RootwardServerError } from '../../error.js';
import { PRINCIPAL_DIGITS } from '../../serve/http/http-access.js';
import { openStore, storeAddress } from '../../serve/sharing/open-store.js';
import type { LoadedSettings } from '../../settings/load-settings.js';
import { FINE, printJson, type Terminal } from '../output/terminal.js';

export interface RevokeFlags {
  readonly handle?: string;
  readonly session?: string;
  readonly principal?: string;
  readonly lift?: boolean;
  readonly json?: boolean;
}

/** The first digits of a SHA-256, up to all of them. */
const DIGEST = /^[0-9a-f]{16,64}$/i;
const KINDS = ['handle', 'session', 'principal'] as const;

/** Names that are made here. A mistyped one would be revoked, and nobody would notice that the right one is not. */
const FORMS = {
  handle: {
    form: /^[\w-]+\.[\w-]{43}$/,
    expected: 'two parts with a dot between, as workspace_info returns it',
  },
  session: {
    form: /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/,
    expected: 'its Mcp-Session-Id, such as 3c9f0e6a-5b1d-4a62-9c0e-7d2f8b41e6a5',
  },
} as const;

/** Revokes on every instance that shares the store. */
export async function runRevoke(
  settings: LoadedSettings,
  flags: RevokeFlags,
  terminal: Terminal,
): Promise<number> {
  const [kind, ...others] = KINDS.filter((name) => (flags[name] ?? '') !== '');
  const name = kind === undefined ? undefined : flags[kind];
  if (kind === undefined || name === undefined || others.length > 0) {
    throw new RootwardServerError(
      'usage',
      'Cannot revoke: give exactly one of --handle H, --session S and --principal P',
    );
  }
  requireForm(kind, name);
  const names = kind === 'principal' ? principalNames(name) : [name];
  const { sessions, revocations } = await openStore(settings, silentLogger);
  try {
    for (const each of names) {
      await (flags.lift === true ? revocations.lift(kind, each) : revocations.revoke(kind, each));
    }
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    const where = settings.store === undefined ? '' : ` at ${storeAddress(settings.store)}`;
    throw new RootwardServerError('store', problem.replace('the session store', `$&${where}`), {
      cause: error,
    });
  } finally {
    revocations.dispose();
    await sessions.close();
  }
  const done = flags.lift === true ? 'lifted' : 'revoked';
  if (flags.json === true) printJson(terminal, { kind, done });
  else {
    const derived = names.slice(1).join(' or ');
    const token = derived === '' ? '' : `, and so is the one whose token it is (${derived})`;
    terminal.out(`${kind}${kind === 'principal' ? ` ${name}` : ''} ${done} on every instance${token}\n`);
  }
  return FINE;
}

function requireForm(kind: (typeof KINDS)[number], name: string): void {
  if (kind === 'principal') {
    if (!isAccessToken(name)) return;
    throw new RootwardServerError(
      'usage',
      'Cannot revoke the principal: this is an access token, which is known by its owner; give its subject (claim "sub") or its client (claim "client_id")',
    );
  }
  if (FORMS[kind].form.test(name)) return;
  throw new RootwardServerError(
    'usage',
    `Cannot revoke the ${kind} ${JSON.stringify(name)}: it is not one; expected ${FORMS[kind].expected}`,
  );
}

/**
 * All principals that an operator may mean: a name, a digest in full or in capitals, as `sha256sum` prints it, or the token
 * itself. A token may look like any of them, and what it is called by servers counts in each case.
 */
function principalNames(name: string): readonly string[] {
  const digests = [...(DIGEST.test(name) ? [name.toLowerCase()] : []), digestOf(name)];
  return [...new Set([name, ...digests.map((digest) => digest.slice(0, PRINCIPAL_DIGITS))])];
}

function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** Whether a text is a JWT, whose principal is in its claims. */
function isAccessToken(text: string): boolean {
  const [head, ...rest] = text.split('.');
  if (rest.length !== 2) return false;
  try {
    const header: unknown = JSON.parse(Buffer.from(head ?? '', 'base64url').toString('utf8'));
    return isObject(header);
  } catch {
    return false;
  }
}
