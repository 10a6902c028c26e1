import type { RootList } from '../roots/root.js';
import { printable } from '../uri/printable.js';
import type { ClientInfo, ClientState } from './client-state.js';

/** What the client's answers so far amount to. */
export interface ClientRoots extends RootList {
  /** It has given at least one valid root on this connection. */
  readonly hasGiven: boolean;
  /** It took them all away: only operator sources may take over until it gives roots again. */
  readonly revoked: boolean;
  /**
   * It told several processes different things, and nobody knows what it said last: only what it told all of them
   * counts, and no other source takes over where that is nothing, until it answers again.
   */
  readonly disputed: boolean;
}

export const noClientRoots: ClientRoots = {
  roots: [],
  rejected: [],
  hasGiven: false,
  revoked: false,
  disputed: false,
};

/** The state after one more answer. A failed refresh is not an answer and must not be passed here. */
export function acceptAnswer(before: ClientRoots, answer: RootList, disputed = false): ClientRoots {
  const gives = answer.roots.length > 0;
  return {
    roots: answer.roots,
    rejected: answer.rejected,
    hasGiven: before.hasGiven || gives,
    revoked: !gives && before.hasGiven,
    disputed,
  };
}

/** The same where a request stands alone: without a valid root, an answer leaves operator sources only. */
export function acceptOnlyAnswer({ roots, rejected }: RootList): ClientRoots {
  const gives = roots.length > 0;
  return { roots, rejected, hasGiven: gives, revoked: !gives, disputed: false };
}

export interface ClientPortrait {
  readonly state: ClientState;
  readonly info: ClientInfo | undefined;
  /** It declared roots, so no other source may speak for it. */
  readonly declared: boolean;
  readonly given: ClientRoots;
  /** How long calls waited for a silent client, in milliseconds… */
  readonly readyTimeout: number;
  /** …unless nobody waited, because the request or its answer was lost. */
  readonly lost: boolean;
}

/** One clause on how the client behaves as a source of roots. */
export function describeClient({ state, info, given, readyTimeout, lost }: ClientPortrait): string {
  const client = info === undefined ? 'Client' : `Client '${printable(info.name)}'`;
  const kept = given.roots.length > 0 ? ', so its previous roots are kept' : '';
  switch (state) {
    case 'unasked':
      return `${client} not asked yet`;
    case 'unsupported':
      return `${client} did not declare roots`;
    case 'ignored':
      return 'Client roots are ignored by configuration';
    case 'pending':
      return `${client} declared roots and has not answered yet`;
    case 'answered':
      return `${client} gave ${describeGiven(given)}${describeDispute(given)}`;
    case 'empty':
      if (given.disputed) return `${client} gave no root${describeDispute(given)}`;
      return `${client} answered with no roots${given.revoked && given.hasGiven ? ', which revokes those it gave before' : ''}`;
    case 'refused':
      return `${client} declared roots but refused to list them${kept}`;
    case 'silent':
      return lost
        ? `${client} declared roots but no answer came${kept}`
        : `${client} declared roots but did not answer within ${readyTimeout / 1_000} s${kept}`;
    case 'malformed':
      return `${client} declared roots but its answer was malformed${kept}`;
  }
}

function describeDispute({ disputed }: ClientRoots): string {
  return disputed ? ' to all instances that asked it at once, and is asked again' : '';
}

function describeGiven({ roots, rejected }: RootList): string {
  const valid = roots.length === 1 ? '1 root' : `${roots.length} roots`;
  if (rejected.length === 0) return valid;
  return roots.length === 0
    ? `no valid root (${rejected.length} rejected)`
    : `${valid} (${rejected.length} rejected)`;
}
