import { existsSync } from 'node:fs';
import type { Backend, BackendFinding } from './backend.js';
import { seatbeltProfile } from './seatbelt-profile.js';
import { tryProgram } from './programs.js';

const SANDBOX_EXEC = '/usr/bin/sandbox-exec';

/** The sandbox of macOS. NOT tested on a real Mac: its profile is tested as text. */
export async function findSeatbelt(): Promise<BackendFinding> {
  const name = 'seatbelt';
  const missing = (reason: string): BackendFinding => ({
    name,
    backend: undefined,
    reason,
    instruction: 'Use a system with a working sandbox-exec',
  });
  if (process.platform !== 'darwin') return missing('it exists on macOS only');
  if (!existsSync(SANDBOX_EXEC)) return missing('sandbox-exec is not there');
  const tried = await tryProgram(SANDBOX_EXEC, ['-p', '(version 1)(allow default)', '/usr/bin/true']);
  if (!tried.ok) return missing(`sandbox-exec does not work here: ${tried.text}`);
  return { name, backend: SEATBELT };
}

const SEATBELT: Backend = {
  name: 'seatbelt',
  guarantee: 'contents',
  hides: true,
  program: SANDBOX_EXEC,
  detail: 'sandbox-exec, not tested on a real Mac',
  supervises: false,
  keepsHome: ({ readsEverything }) => readsEverything,
  command: (request, { plan, folder }) => ({
    command: SANDBOX_EXEC,
    args: ['-p', seatbeltProfile(plan, folder.path), request.command, ...request.args],
    cwd: request.cwd,
    env: request.env,
    inputs: new Map(),
  }),
};
