import type { TraceEntry } from './trace.js';
import { enumerate } from '../sources/root-source.js';
import type { Snapshot } from './snapshot.js';

/** Where the roots come from and why, in a few lines a person understands. */
export function explainSnapshot(snapshot: Snapshot): string {
  const lines = [headline(snapshot), tellStory(snapshot.trace)];
  for (const { declared, reason } of snapshot.rejected.slice(0, MAX_REJECTIONS_SHOWN)) {
    lines.push(`Rejected: ${declared} (${reason})`);
  }
  const surplus = snapshot.rejected.length - MAX_REJECTIONS_SHOWN;
  if (surplus > 0) lines.push(`Rejected: ${surplus} more`);
  return lines.join('\n');
}

const MAX_REJECTIONS_SHOWN = 5;

function headline({ roots }: Snapshot): string {
  if (roots.length === 0) return 'No roots: every path is refused';
  const sources = [...new Set(roots.map((root) => root.source))].join(' and ');
  const count = roots.length === 1 ? '1 root' : `${roots.length} roots`;
  return `${count} from ${sources}: ${enumerate(roots.map((root) => root.path))}`;
}

/** Every source up to the one that decided, and of the others only those that said something. */
function tellStory(trace: readonly TraceEntry[]): string {
  const decisive = trace.findLastIndex(({ verdict }) => verdict === 'used');
  return trace
    .filter(({ source, verdict }, index) => {
      if (verdict !== 'absent' || source === 'client') return true;
      return !RARE.has(source) && (decisive === -1 || index < decisive);
    })
    .map(({ detail, verdict }) => (VERDICTS[verdict] === '' ? detail : `${detail}: ${VERDICTS[verdict]}`))
    .join('; ');
}

/** Sources that are usually absent, so their absence is not worth a line. */
const RARE: ReadonlySet<string> = new Set(['handle', 'consent', 'request']);

/** Empty where the detail says it all. */
const VERDICTS: Readonly<Record<TraceEntry['verdict'], string>> = {
  used: 'used',
  'not-needed': 'not needed',
  replaced: 'replaced by the roots of the client',
  absent: '',
  rejected: 'not usable',
  ignored: '',
  revoked: 'not used, since the client answered without a valid root',
  withheld: 'not used, since it cannot stand in for named roots or for an answer of the client',
  pending: '',
  failed: '',
};
