import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '@rootward/core';
import { silentLogger } from '@rootward/core/platform';
import { openStore, storeAddress } from '../../../serve/sharing/open-store.js';
import type { LoadedSettings } from '../../../settings/load-settings.js';
import type { Finding } from '../../output/show-findings.js';

const topic = 'store';
const FIX = 'Check that the store runs, the rights of its user, and the URL in --store or ROOTWARD_STORE';

/** What to do about a problem, by what its description says. */
const FIXES: readonly (readonly [said: RegExp, fix: string])[] = [
  [
    /\((?:NOAUTH|WRONGPASS)\)$/,
    'Write its user and password into the URL, redis://USER:PASSWORD@HOST, and the URL into ROOTWARD_STORE or into a file for --store @FILE',
  ],
  [/\(NOPERM\)$/, 'Give its user what it lacks, with ACL SETUSER'],
  [/it cannot be reached/, 'Start the store, or correct the address in --store or ROOTWARD_STORE'],
  [
    /it does not answer|it closed the connection/,
    'Check that the store runs, and that the URL begins with rediss:// if the store expects TLS, and with redis:// if not',
  ],
];

/** Right after the start it is read once more what was revoked: until it is listened to, a message may be missed. */
const LOOKS = 20;
const LOOK_MS = 50;

/** Whether the session store can be used, where one is named. Nothing is written to it but the version of its format. */
export async function describeStore(settings: LoadedSettings): Promise<readonly Finding[]> {
  if (settings.store === undefined) return [];
  const notes: Finding[] = [];
  const log: Logger = {
    ...silentLogger,
    warn: (_, { warning } = {}) => {
      if (typeof warning === 'string') notes.push({ topic, state: 'note', detail: warning });
    },
  };
  try {
    const { sessions, revocations, problem } = await openStore(settings, log);
    const found = await lasting(problem);
    revocations.dispose();
    await sessions.close();
    const address = storeAddress(settings.store);
    if (found !== undefined) {
      const fix = FIXES.find(([said]) => said.test(found))?.[1] ?? FIX;
      return [{ topic, state: 'problem', detail: `${address}: ${found}`, fix }];
    }
    return [{ topic, state: 'fine', detail: `${address} can be used` }, ...notes];
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return [{ topic, state: 'problem', detail, fix: FIX }];
  }
}

async function lasting(problem: () => string | undefined): Promise<string | undefined> {
  for (let look = 0; look < LOOKS && problem() !== undefined; look++) await pause(LOOK_MS);
  return problem();
}
