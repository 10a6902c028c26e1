import { randomBytes } from 'node:crypto';
import { RootwardError } from '../error.js';
import { unlessAborted } from '../platform/async.js';
import type { Root } from '../roots/root.js';
import type { Failure } from '../sources/answer.js';
import type { ClientState } from '../sources/client-state.js';
import type { Asker } from './asking/asker.js';
import type { KeptWorkspace } from './kept-workspace.js';
import type { SourceState } from './source-state.js';

const CHANGE_BYTES = 6;

/** How a restored workspace treats what it knows already. */
export interface RestoreOptions {
  readonly signal?: AbortSignal;
  /** What this workspace and the kept one had in common. What changed here since then is merged, not replaced. */
  readonly since?: KeptWorkspace;
}

/** For `KeptWorkspace.change`. */
export function nameChange(): string {
  return randomBytes(CHANGE_BYTES).toString('base64url');
}

/** Restores the state of the asker from when the workspace was kept, without asking the client. */
export async function restoreClient(
  { client, roots = [], hasGiven = false, disputed = false }: KeptWorkspace,
  asker: Asker,
  sources: SourceState,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (client === undefined) return;
  sources.assume(hasGiven);
  const failure = lastFailure(client);
  // One that gave roots and has none left took them back, however a later question ended.
  const hasAnswered = failure === undefined || roots.length > 0 || hasGiven || disputed;
  const entries = hasAnswered ? roots : undefined;
  asker.dispatch({ type: 'handed', answer: { entries, disputed, failure } });
  if (hasAnswered) await requireRead(asker, signal);
}

/** The places the user agreed to that are still the same, valid and inside the ceiling. */
export async function readKeptConsents(
  { consents = [] }: KeptWorkspace,
  sources: SourceState,
  signal: AbortSignal | undefined,
): Promise<readonly Root[]> {
  const found = await Promise.allSettled(consents.map((path) => sources.consider(path, signal)));
  return found.flatMap((each, index) =>
    each.status === 'fulfilled' && each.value.path === consents[index] ? [each.value] : [],
  );
}

/** Those of `merged`, and those that were added since `before` was kept. `read` holds what was looked up. */
export function mergedConsents(
  { consents: merged = [] }: KeptWorkspace,
  { consents: before = [] }: KeptWorkspace,
  read: readonly Root[],
  current: readonly Root[],
): readonly Root[] {
  const known = new Map([...read, ...current].map((root) => [root.path, root] as const));
  const added = current.filter(({ path }) => !before.includes(path) && !merged.includes(path));
  return [...merged.flatMap((path) => known.get(path) ?? []), ...added];
}

/**
 * Waits as long as it takes, unlike a call, which continues after a while: because of a slow disk, the operator's roots
 * must not replace those of the client.
 */
async function requireRead(asker: Asker, signal: AbortSignal | undefined): Promise<void> {
  if (await unlessAborted(asker.read(), signal)) return;
  throw new RootwardError('io', 'Cannot restore the workspace: its roots could not be looked up');
}

/** How the last question failed; undefined where it was answered with a list. */
function lastFailure(client: ClientState): Failure | undefined {
  if (client === 'refused') return { kind: 'refused', code: 0 };
  if (client === 'silent') return { kind: 'lost', detail: 'no answer came' };
  return client === 'malformed' ? { kind: 'malformed', detail: 'it was malformed' } : undefined;
}
