import type { Root, Source } from '../roots/root.js';
import type { ClientState } from './client-state.js';
import { describeClient } from './client.js';
import type { Decision, Said } from './precedence.js';
import type { Statement } from './root-source.js';
import { enumerate } from './root-source.js';

/**
 * What became of a source: its roots count (`used`), a stronger one was enough (`not-needed`), the client's roots took
 * the place of what the operator named (`replaced`), it said nothing (`absent`), nothing it said is valid
 * (`rejected`), it is switched off (`ignored`), it may not come back after a revocation (`revoked`), its answer is
 * awaited (`pending`), or there was none (`failed`).
 */
export type Verdict =
  | 'used'
  | 'not-needed'
  | 'replaced'
  | 'absent'
  | 'rejected'
  | 'ignored'
  | 'revoked'
  | 'pending'
  | 'failed';

/** What one source said, and what became of it. */
export interface TraceEntry {
  readonly source: Source;
  readonly verdict: Verdict;
  /** A clause for people. Holds paths, so it belongs in no log above `debug`. */
  readonly detail: string;
  /** The valid roots of this source, needed or not. */
  readonly roots?: readonly Root[];
}

/** The story of a decision: every source, strongest first, whether it was needed or not. */
export function traceOf(said: Said, decision: Decision): readonly TraceEntry[] {
  const { sources, handle, request } = said;
  const ignores = sources.clientRoots === 'ignore';
  const { revoked } = said.client.given;
  return [
    entryOf(handle, guestVerdict(handle, decision, ignores)),
    consentEntry(said.consents),
    clientEntry(said, decision),
    entryOf(
      request,
      revoked && handle !== decision.guest ? blocked(request) : guestVerdict(request, decision, ignores),
    ),
    ...sources.operators.map((statement) => operatorEntry(statement, said, decision)),
    ...[...sources.hints, sources.fallback].map((statement) => {
      const needed = decision.guest === undefined && decision.operator === undefined;
      return entryOf(
        statement,
        revoked && needed ? blocked(statement) : plainVerdict(statement, decision.gap),
      );
    }),
  ];
}

function entryOf(statement: Statement, verdict: Verdict): TraceEntry {
  const { source, detail, roots } = statement;
  return roots.length === 0 ? { source, verdict, detail } : { source, verdict, detail, roots };
}

function plainVerdict(statement: Statement, winner: Statement | 'client' | undefined): Verdict {
  if (!statement.given) return 'absent';
  if (statement === winner) return 'used';
  return statement.roots.length === 0 ? 'rejected' : 'not-needed';
}

function guestVerdict(statement: Statement, { guest }: Decision, ignores: boolean): Verdict {
  return ignores ? 'ignored' : plainVerdict(statement, guest);
}

/** The roots may be replaced, but not what they forbid; else nobody could tell why a root of the client is read-only. */
function operatorEntry(statement: Statement, { sources }: Said, decision: Decision): TraceEntry {
  const entry = entryOf(statement, operatorVerdict(statement, decision));
  const [first] = sources.readOnly;
  if (entry.verdict !== 'replaced' || first === undefined || first.source !== statement.source) return entry;
  return { ...entry, detail: `${entry.detail} (what is read-only there stays so)` };
}

function operatorVerdict(statement: Statement, { guest, operator }: Decision): Verdict {
  const verdict = plainVerdict(statement, operator);
  return verdict === 'not-needed' && guest !== undefined && operator === undefined ? 'replaced' : verdict;
}

function blocked(statement: Statement): Verdict {
  return statement.given ? 'revoked' : 'absent';
}

function consentEntry(consents: readonly Root[]): TraceEntry {
  if (consents.length === 0) return { source: 'consent', verdict: 'absent', detail: 'no consent given' };
  const paths = enumerate(consents.map((root) => root.path));
  return { source: 'consent', verdict: 'used', detail: `the user agreed to ${paths}`, roots: consents };
}

function clientEntry({ client }: Said, { guest }: Decision): TraceEntry {
  const { roots } = client.given;
  const detail = describeClient(client);
  if (roots.length === 0) return { source: 'client', verdict: emptyVerdicts[client.state], detail };
  return { source: 'client', verdict: guest === 'client' ? 'used' : 'not-needed', detail, roots };
}

const emptyVerdicts: Readonly<Record<ClientState, Verdict>> = {
  unasked: 'absent',
  unsupported: 'absent',
  ignored: 'ignored',
  pending: 'pending',
  answered: 'rejected',
  empty: 'absent',
  refused: 'failed',
  silent: 'failed',
  malformed: 'failed',
};
