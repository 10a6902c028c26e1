import type { Root, Source } from '../roots/root.js';
import type { ClientState } from '../sources/client-state.js';
import { describeClient } from '../sources/client.js';
import { countedHints, type Decision, type SnapshotInput } from './precedence.js';
import { enumerate, type SourceReading } from '../sources/root-source.js';

/**
 * What happened to a source: its roots count (`used`), a stronger source was enough (`not-needed`), client roots
 * replaced those of the operator (`replaced`), it said nothing (`absent`), nothing it said is valid (`rejected`), it is
 * switched off (`ignored`), it may not be used after a revocation (`revoked`), it may not replace named roots or an
 * answer of the client (`withheld`), its answer has not come yet (`pending`), or no answer came (`failed`).
 */
export type Verdict =
  | 'used'
  | 'not-needed'
  | 'replaced'
  | 'absent'
  | 'rejected'
  | 'ignored'
  | 'revoked'
  | 'withheld'
  | 'pending'
  | 'failed';

/** What one source said, and what happened to it. */
export interface TraceEntry {
  readonly source: Source;
  readonly verdict: Verdict;
  /** A clause for people. Holds paths, so it belongs in no log above `debug`. */
  readonly detail: string;
  /** The valid roots of this source, needed or not. */
  readonly roots?: readonly Root[];
}

/** How a decision was made: every source, strongest first, whether it was needed or not. */
export function traceOf(input: SnapshotInput, decision: Decision): readonly TraceEntry[] {
  const { sources, handle, request } = input;
  const ignores = sources.clientRoots === 'ignore';
  const { revoked } = input.client.given;
  const counted = countedHints(input, decision);
  const needed = decision.clientSide === undefined && decision.operator === undefined;
  const hintVerdict = (reading: SourceReading): Verdict =>
    needed && decision.fallback === undefined
      ? unneededVerdict(reading, revoked)
      : plainVerdict(reading, decision.fallback);
  return [
    entryOf(handle, clientSideVerdict(handle, decision, ignores)),
    consentEntry(input.consents),
    clientEntry(input, decision),
    entryOf(
      request,
      revoked && handle !== decision.clientSide
        ? blocked(request)
        : clientSideVerdict(request, decision, ignores),
    ),
    ...sources.operators.map((reading) => operatorEntry(reading, input, decision)),
    ...[...sources.hints, sources.fallback].map((reading) => {
      const isCounted = reading === sources.fallback || counted.includes(reading);
      return entryOf(reading, isCounted ? hintVerdict(reading) : unaskedVerdict(reading));
    }),
  ];
}

function entryOf(reading: SourceReading, verdict: Verdict): TraceEntry {
  const { source, detail, roots } = reading;
  return roots.length === 0 ? { source, verdict, detail } : { source, verdict, detail, roots };
}

function plainVerdict(reading: SourceReading, winner: SourceReading | 'client' | undefined): Verdict {
  if (!reading.given) return 'absent';
  if (reading === winner) return 'used';
  return reading.roots.length === 0 ? 'rejected' : 'not-needed';
}

/** Of a source that was not asked, since a stronger one was enough. */
function unaskedVerdict({ given }: SourceReading): Verdict {
  return given ? 'not-needed' : 'absent';
}

function clientSideVerdict(reading: SourceReading, { clientSide }: Decision, ignores: boolean): Verdict {
  return ignores ? 'ignored' : plainVerdict(reading, clientSide);
}

/**
 * The roots may be replaced, but what they forbid stays in the trace: otherwise nobody could tell why a client root is
 * read-only.
 */
function operatorEntry(reading: SourceReading, { sources }: SnapshotInput, decision: Decision): TraceEntry {
  const entry = entryOf(reading, operatorVerdict(reading, decision));
  const [first] = sources.readOnly;
  if (entry.verdict !== 'replaced' || first === undefined || first.source !== reading.source) return entry;
  return { ...entry, detail: `${entry.detail} (what is read-only there stays so)` };
}

function operatorVerdict(reading: SourceReading, { clientSide, operator }: Decision): Verdict {
  const verdict = plainVerdict(reading, operator);
  return verdict === 'not-needed' && clientSide !== undefined && operator === undefined
    ? 'replaced'
    : verdict;
}

function unneededVerdict(reading: SourceReading, revoked: boolean): Verdict {
  if (revoked) return blocked(reading);
  return reading.roots.length === 0 ? plainVerdict(reading, undefined) : 'withheld';
}

function blocked(reading: SourceReading): Verdict {
  return reading.given ? 'revoked' : 'absent';
}

function consentEntry(consents: readonly Root[]): TraceEntry {
  if (consents.length === 0) return { source: 'consent', verdict: 'absent', detail: 'no consent given' };
  const paths = enumerate(consents.map((root) => root.path));
  return { source: 'consent', verdict: 'used', detail: `the user agreed to ${paths}`, roots: consents };
}

function clientEntry({ client }: SnapshotInput, { clientSide }: Decision): TraceEntry {
  const { roots } = client.given;
  const detail = describeClient(client);
  if (roots.length === 0) return { source: 'client', verdict: emptyVerdicts[client.state], detail };
  return { source: 'client', verdict: clientSide === 'client' ? 'used' : 'not-needed', detail, roots };
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
