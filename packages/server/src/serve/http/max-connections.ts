import { readFileSync } from 'node:fs';

/** As many as there may be sessions: most legacy clients keep a stream open. */
const MAX_CONNECTIONS = 10_000;
/** Where it cannot be looked up how many files this process may have open. */
const CAUTIOUS_CONNECTIONS = 1000;
/** One for the connection, one for what its calls open. */
const FILES_PER_CONNECTION = 2;
const LIMITS_FILE = '/proc/self/limits';
const OPEN_FILES = /^Max open files +(\S+)/m;

/** How many connections there may be at once: each is an open file, and calls need some, too. */
export function maxConnections(limits: string | undefined = readLimits()): number {
  const openFiles = OPEN_FILES.exec(limits ?? '')?.[1];
  if (openFiles === 'unlimited') return MAX_CONNECTIONS;
  const share = Math.floor(Number(openFiles) / FILES_PER_CONNECTION);
  return Number.isNaN(share) ? CAUTIOUS_CONNECTIONS : Math.min(share, MAX_CONNECTIONS);
}

/** Only Linux has it. Node has raised the soft limit to the hard one by then. */
function readLimits(): string | undefined {
  try {
    return readFileSync(LIMITS_FILE, 'utf8');
  } catch {
    return undefined;
  }
}
