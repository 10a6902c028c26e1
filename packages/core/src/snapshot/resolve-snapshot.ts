import { silentLogger, type Logger } from '../platform/logger.js';
import type { PathEntry } from '../roots/declaration.js';
import { readRoots } from '../roots/read-roots.js';
import type { Root } from '../roots/root.js';
import { readAnswer, type Answer } from '../sources/answer.js';
import type { ClientInfo, ClientState } from '../sources/client-state.js';
import { acceptOnlyAnswer, noClientRoots, type ClientRoots } from '../sources/client.js';
import { noHandle, readHandle } from '../sources/handle.js';
import { currentSources, type Sources } from '../sources/read-sources.js';
import { noRequest, readRequest, readRequestHints } from '../sources/request.js';
import { takeSnapshot, type Snapshot } from './snapshot.js';

/** What one request says about roots. Nothing else is known, and nothing is kept. */
export interface RequestFacts {
  readonly declaresRoots: boolean;
  readonly clientInfo?: ClientInfo | undefined;
  /** Undefined when the client was not asked. */
  readonly answer?: Answer | undefined;
  /** The roots of a handle that was verified. */
  readonly handle?: readonly PathEntry[] | undefined;
  /** Places the user agreed to. */
  readonly consents?: readonly Root[] | undefined;
  /** The metadata of the call, which may name a directory. */
  readonly meta?: unknown;
}

/** How `resolveSnapshot` works. */
export interface ResolveOptions {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly log?: Logger | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The snapshot of a standalone request. The request brings all that is known, so nobody is asked and nothing is
 * remembered. On the disk, only what the request names is looked up. An answer without a valid root leaves the
 * operator's sources only; a handle without one rejects.
 *
 * @example
 * ```ts
 * import { readSources, resolveSnapshot } from '@rootward/core';
 * import { homedir } from 'node:os';
 *
 * const sources = await readSources({ environment: process.env, home: homedir() });
 * const facts = { declaresRoots: true, answer: { result: { roots: [{ uri: 'file:///home/me/app' }] } } };
 * const snapshot = await resolveSnapshot(sources, facts, { now: Date.now() });
 * console.log(snapshot.roots.map((root) => root.path));
 * ```
 */
export async function resolveSnapshot(
  known: Sources,
  { declaresRoots, clientInfo, answer, handle, consents = [], meta }: RequestFacts,
  { now, log = silentLogger, signal }: ResolveOptions,
): Promise<Snapshot> {
  const sources = await currentSources(known);
  const reading = { ...sources.reading, ...(signal && { signal }) };
  const ignores = sources.clientRoots === 'ignore';
  const hints = ignores ? undefined : readRequestHints(meta);
  const client = ignores ? IGNORED : await readClient(answer, declaresRoots, reading, log);
  const input = {
    sources,
    client: { ...client, info: clientInfo, declared: declaresRoots && !ignores, readyTimeout: 0 },
    handle: ignores || handle === undefined ? noHandle : await readHandle(handle, reading),
    request: hints === undefined ? noRequest : await readRequest(hints, reading),
    consents,
  };
  return takeSnapshot(input, now, () => 0);
}

interface ClientSide {
  readonly state: ClientState;
  readonly given: ClientRoots;
  /** The answer did not come. */
  readonly lost: boolean;
}

const IGNORED: ClientSide = { state: 'ignored', given: noClientRoots, lost: false };

async function readClient(
  answer: Answer | undefined,
  declaresRoots: boolean,
  reading: Sources['reading'],
  log: Logger,
): Promise<ClientSide> {
  const unheard = { given: noClientRoots, lost: false };
  if (answer === undefined) return { ...unheard, state: declaresRoots ? 'unasked' : 'unsupported' };
  const outcome = readAnswer(answer);
  switch (outcome.kind) {
    case 'list': {
      const list = await readRoots(outcome.entries, { ...reading, source: 'client' });
      log.debug('roots answer applied', {
        source: 'client',
        count: list.roots.length,
        rejected: list.rejected.length,
      });
      const state = outcome.entries.length === 0 ? 'empty' : 'answered';
      return { state, given: acceptOnlyAnswer(list), lost: false };
    }
    case 'malformed':
    case 'lost':
      log.debug('roots request failed', { kind: outcome.kind, detail: outcome.detail });
      return outcome.kind === 'lost'
        ? { ...unheard, state: 'silent', lost: true }
        : { ...unheard, state: 'malformed' };
    case 'refused':
      log.debug('roots request failed', { kind: 'refused', detail: `error ${outcome.code}` });
      return { ...unheard, state: 'refused' };
  }
}
