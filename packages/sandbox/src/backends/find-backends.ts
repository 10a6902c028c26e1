import { RootwardSandboxError } from '../error.js';
import { BACKEND_NAMES, type BackendName } from '../level.js';
import type { BackendFinding } from './backend.js';
import { findBubblewrap } from './bubblewrap.js';
import { findLandlock } from './landlock.js';
import { findSeatbelt } from './seatbelt.js';

/** Options of `findBackends`. */
export interface FindBackendsOptions {
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Others are not even looked for. Default: those of `ROOTWARD_SANDBOX_BACKENDS`, else all. */
  readonly backends?: readonly BackendName[];
}

/** What each backend can do on this machine, found by running it. The strongest first. */
export function findBackends(options: FindBackendsOptions = {}): Promise<readonly BackendFinding[]> {
  const environment = options.environment ?? process.env;
  const wanted = options.backends ?? readBackendNames(environment['ROOTWARD_SANDBOX_BACKENDS']);
  return Promise.all(
    BACKEND_NAMES.map(async (name) => {
      if (wanted !== undefined && !wanted.includes(name)) return switchedOff(name);
      if (name === 'bubblewrap') return findBubblewrap(environment);
      return name === 'landlock' ? findLandlock() : findSeatbelt();
    }),
  );
}

function switchedOff(name: BackendName): BackendFinding {
  const reason = 'it is not in ROOTWARD_SANDBOX_BACKENDS';
  return { name, backend: undefined, reason, instruction: 'Add it to ROOTWARD_SANDBOX_BACKENDS' };
}

/** Comma-separated names, or `none`; undefined where nothing is set. An unknown name is an error. */
export function readBackendNames(value: string | undefined): readonly BackendName[] | undefined {
  if (value === undefined || value === '') return undefined;
  if (value.trim() === 'none') return [];
  return value.split(',').map((each) => {
    const name = BACKEND_NAMES.find((known) => known === each.trim());
    if (name !== undefined) return name;
    throw new RootwardSandboxError(
      'invalid-option',
      `Cannot read ROOTWARD_SANDBOX_BACKENDS: ${JSON.stringify(each.trim())} is not one of ${BACKEND_NAMES.join(', ')} or none`,
    );
  });
}
