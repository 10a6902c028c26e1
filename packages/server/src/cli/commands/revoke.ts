import { silentLogger } from '@rootward/core/platform';
import { RootwardServerError } from '../../error.js';
import { openStore } from '../../serve/sharing/open-store.js';
import type { LoadedSettings } from '../../settings/load-settings.js';
import { FINE, printJson, type Terminal } from '../output/terminal.js';

export interface RevokeFlags {
  readonly handle?: string;
  readonly session?: string;
  readonly principal?: string;
  readonly lift?: boolean;
  readonly json?: boolean;
}

const KINDS = ['handle', 'session', 'principal'] as const;

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
      'Cannot revoke: name one of --handle H, --session S and --principal P',
    );
  }
  const { sessions, revocations } = await openStore(settings, silentLogger);
  try {
    await (flags.lift === true ? revocations.lift(kind, name) : revocations.revoke(kind, name));
  } catch (error) {
    throw new RootwardServerError('store', error instanceof Error ? error.message : String(error), {
      cause: error,
    });
  } finally {
    revocations.dispose();
    await sessions.close();
  }
  const done = flags.lift === true ? 'lifted' : 'revoked';
  if (flags.json === true) printJson(terminal, { kind, done });
  else terminal.out(`${kind} ${done} on every instance\n`);
  return FINE;
}
