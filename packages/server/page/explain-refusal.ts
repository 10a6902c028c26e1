import type { ActivityEvent } from '../src/audit/event-hub.js';

interface Explanation {
  readonly rule: string;
  /** What would allow it; empty where nothing is needed. */
  readonly remedy: string;
}

const REFUSALS: Readonly<Record<string, Explanation>> = {
  'outside-roots': {
    rule: 'It lies outside every root of the session, or a link leads out of them.',
    remedy: 'Open its folder in the client, or name it when the server is started.',
  },
  'no-roots': {
    rule: 'The session has no roots, so no path is in scope.',
    remedy: 'Open a folder in the client, or name one when the server is started.',
  },
  denied: {
    rule: 'A rule denies it: one of the operator, of the workspace, of the fixed places of credentials, or a revocation on this page.',
    remedy:
      'Take the pattern out of "deny" in rootward.json or .rootward.json, or lift the revocation under Now.',
  },
  'read-only': {
    rule: 'It lies in a read-only root.',
    remedy: 'Start the server without --read-only, or lift the limit under Now.',
  },
  'hidden-tool': {
    rule: 'The operator has hidden this tool.',
    remedy: 'Start the server with other --tools or --hide-tools.',
  },
  protected: {
    rule: 'It is a file that steers the fence itself, and is never changed through it.',
    remedy: 'Change it with an editor.',
  },
  'ambiguous-tree': {
    rule: 'The repository has several working trees, and the call does not say which one it means.',
    remedy: 'Add the hook of the client, which the command "install" writes, or pass absolute paths.',
  },
};

/** What made a decision, and what would change it. */
export function explain({ decision, reason, session }: ActivityEvent): Explanation {
  if (session === 'operator') return { rule: 'You did this on this page.', remedy: '' };
  if (decision === 'allowed')
    return { rule: 'It lies inside the roots, and no rule forbids it.', remedy: '' };
  return (
    REFUSALS[reason ?? ''] ?? { rule: `It was refused with the code ${reason ?? 'unknown'}.`, remedy: '' }
  );
}
