import { useEffect, useState } from 'preact/hooks';
import type { VNode } from 'preact';
import type { ShownChange, ShownDifference, UndoOutcome } from '../src/watch/protocol.js';
import { ConfirmButton } from './confirm-button.js';
import { Empty, NotShown } from './empty.js';
import { SideBySide } from './side-by-side.js';
import { lastPart, timeOf, type ViewProps } from './view.js';

interface Found {
  readonly pid: number;
  readonly session: string;
  readonly change: ShownChange;
}

/** What was changed, the difference it made, and a way back. */
export function History({ state, act }: ViewProps): VNode | null {
  const [found, setFound] = useState<readonly Found[] | undefined>(undefined);
  const [problem, setProblem] = useState('');
  const [opened, setOpened] = useState<Found | undefined>(undefined);
  const [asked, setAsked] = useState(0);
  const places = state.processes.flatMap((process) =>
    process.sessions.map(({ id }) => ({ pid: process.pid, session: id })),
  );
  const key = places.map(({ pid, session }) => `${pid} ${session}`).join();
  // Looked up again when something was decided, since a decision may have been a change.
  const last = state.events.at(-1)?.number ?? 0;
  useEffect(() => {
    let current = true;
    const look = async (): Promise<void> => {
      const lists = await Promise.all(
        places.map(async ({ pid, session }) => {
          const changes = (await act(pid, 'changes', { session })) as readonly ShownChange[];
          return changes.map((change) => ({ pid, session, change }));
        }),
      );
      const all = new Map(lists.flat().map((item) => [item.change.id, item]));
      const sorted = [...all.values()].sort((one, other) => other.change.time.localeCompare(one.change.time));
      if (current) setFound(sorted);
    };
    look().then(
      () => setProblem(''),
      (error: unknown) => setProblem(error instanceof Error ? error.message : String(error)),
    );
    return () => {
      current = false;
    };
  }, [key, last, asked]);
  if (problem !== '') return <Empty title="The changes cannot be listed">{problem}</Empty>;
  if (found === undefined) return null;
  if (found.length === 0) {
    return (
      <div class="stack">
        <NotShown processes={state.processes} />
        <Empty title="No change is kept">What tools change appears here, with a way back.</Empty>
      </div>
    );
  }
  return (
    <div class="stack">
      <NotShown processes={state.processes} />
      {opened !== undefined && <Opened found={opened} act={act} onClose={() => setOpened(undefined)} />}
      <ul class="stack plain">
        {found.map((item) => (
          <li key={item.change.id} class="card line">
            <div>
              <strong>{item.change.tool}</strong> <span class="quiet">{timeOf(item.change.time)}</span>
              {item.change.undone && <span class="badge">undone</span>}
              <ul class="plain">
                {item.change.files.slice(0, 5).map(({ path, action }) => (
                  <li key={path}>
                    <span class="badge">{action}</span> <code class="path">{path}</code>
                  </li>
                ))}
              </ul>
              {item.change.files.length > 5 && <p class="quiet">and {item.change.files.length - 5} more</p>}
            </div>
            <span class="actions">
              <button
                type="button"
                aria-label={`Difference of ${lastPart(item.change.files[0]?.path ?? item.change.id)}`}
                onClick={() => setOpened(item)}
              >
                Difference
              </button>
              {!item.change.undone && (
                <ConfirmButton
                  label="Undo"
                  tone="danger"
                  question="Put back what was there?"
                  act={async () => {
                    const { session, change } = item;
                    const outcome = (await act(item.pid, 'undo', {
                      session,
                      change: change.id,
                    })) as UndoOutcome;
                    setAsked((count) => count + 1);
                    if (outcome.lost.length > 0) throw new Error(`Not kept: ${outcome.lost.join(', ')}`);
                  }}
                />
              )}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

interface OpenedProps {
  readonly found: Found;
  readonly act: ViewProps['act'];
  readonly onClose: () => void;
}

function Opened({ found: { pid, session, change }, act, onClose }: OpenedProps): VNode {
  const [files, setFiles] = useState<readonly ShownDifference[] | undefined>(undefined);
  const [problem, setProblem] = useState('');
  useEffect(() => {
    setFiles(undefined);
    act(pid, 'difference', { session, change: change.id }).then(
      (result) => setFiles(result as readonly ShownDifference[]),
      (error: unknown) => setProblem(error instanceof Error ? error.message : String(error)),
    );
  }, [change.id]);
  return (
    <aside class="card detail" aria-label="Difference">
      <h2>{change.tool}</h2>
      {problem !== '' && <p class="problem">{problem}</p>}
      {files?.map(({ path, diff, note }) => (
        <section key={path} aria-label={path}>
          <h3>
            <code class="path">{path}</code>
          </h3>
          {note === '' ? <SideBySide diff={diff} /> : <p class="quiet">{note}</p>}
        </section>
      ))}
      <button type="button" onClick={onClose}>
        Close
      </button>
    </aside>
  );
}
