import type { ComponentChildren, VNode } from 'preact';
import type { ProcessState } from '../src/watch/protocol.js';

/** What a view says when it has nothing to show, or cannot know. */
export function Empty({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ComponentChildren;
}): VNode {
  return (
    <div class="empty">
      <h2>{title}</h2>
      <p>{children}</p>
    </div>
  );
}

/** Says how many clients a view leaves out: a server for a team has more than a page can follow. */
export function NotShown({ processes }: { readonly processes: readonly ProcessState[] }): VNode | null {
  const left = processes.reduce((sum, { sessions, sessionCount }) => sum + sessionCount - sessions.length, 0);
  if (left <= 0) return null;
  return (
    <p class="quiet">
      {left} older {left === 1 ? 'client is' : 'clients are'} connected and not shown here.
    </p>
  );
}
