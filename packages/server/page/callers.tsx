import type { VNode } from 'preact';
import type { ShownCaller, ShownSession, ShownTree } from '../src/watch/protocol.js';
import { lastPart, timeOf } from './view.js';

/** The working trees of the repository, and which agents called from each. */
export function Callers({ session: { callers, trees } }: { readonly session: ShownSession }): VNode | null {
  const isElsewhere = ({ directory }: ShownCaller): boolean =>
    !trees.some(({ path }) => isIn(directory, path, trees));
  const elsewhere = callers.filter(isElsewhere);
  if (callers.length === 0 && trees.length < 2) return null;
  return (
    <>
      <h4>Callers and working trees</h4>
      <ul class="trees">
        {trees.map((tree) => (
          <li key={tree.path}>
            <span class="rung">
              <strong>{lastPart(tree.path)}</strong>{' '}
              <span class="badge">{tree.linked ? 'worktree' : 'main tree'}</span>{' '}
              {tree.branch !== '' && <span class="badge">{tree.branch}</span>}
            </span>
            <code class="path quiet">{tree.path}</code>
            <CallerList callers={callers.filter(({ directory }) => isIn(directory, tree.path, trees))} />
          </li>
        ))}
        {elsewhere.length > 0 && (
          <li>
            <span class="rung">
              <strong>{trees.length === 0 ? 'no repository' : 'outside of these'}</strong>
            </span>
            <CallerList callers={elsewhere} />
          </li>
        )}
      </ul>
    </>
  );
}

function CallerList({ callers }: { readonly callers: readonly ShownCaller[] }): VNode | null {
  if (callers.length === 0) return null;
  return (
    <ul class="plain callers" aria-label="Callers">
      {callers.map((caller) => (
        <li key={`${caller.agent} ${caller.directory} ${caller.known}`}>
          {nameOf(caller)} <span class="quiet">last call {timeOf(caller.last)}</span>{' '}
          {caller.known === '' ? (
            <span class="badge warn">tree not known: relative paths are refused</span>
          ) : (
            <span class="badge">known from {caller.known}</span>
          )}
        </li>
      ))}
    </ul>
  );
}

function nameOf({ agent, named }: ShownCaller): string {
  if (!named) return 'a caller without a name';
  return agent === '' ? 'main agent' : agent;
}

/** A worktree may lie inside the main tree: the deepest one counts. */
function isIn(directory: string, tree: string, trees: readonly ShownTree[]): boolean {
  const containing = trees
    .map(({ path }) => path)
    .filter((path) => directory === path || directory.startsWith(`${path}/`))
    .sort((one, other) => other.length - one.length);
  return containing[0] === tree;
}
