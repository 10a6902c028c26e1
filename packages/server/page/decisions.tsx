import { useMemo, useState } from 'preact/hooks';
import type { VNode } from 'preact';
import type { PageEvent } from './connection.js';
import { Empty } from './empty.js';
import { explain } from './explain-refusal.js';
import { timeOf, type ViewProps } from './view.js';
import { WindowedList } from './windowed-list.js';

type Verdict = 'all' | 'allowed' | 'refused';

/** Every decision as it is made, newest first. */
export function Decisions({ state }: ViewProps): VNode {
  const [tool, setTool] = useState('');
  const [path, setPath] = useState('');
  const [verdict, setVerdict] = useState<Verdict>('all');
  const [opened, setOpened] = useState<number | undefined>(undefined);
  const shown = useMemo(
    () =>
      state.events
        .filter(
          ({ event }) =>
            event.tool.includes(tool) &&
            event.path.toLowerCase().includes(path.toLowerCase()) &&
            (verdict === 'all' || event.decision === verdict),
        )
        .toReversed(),
    [state.events, tool, path, verdict],
  );
  const detail = shown.find(({ number }) => number === opened);
  return (
    <div class="decisions">
      <form class="filters" aria-label="Filter" onSubmit={(event) => event.preventDefault()}>
        <label>
          Tool
          <input value={tool} onInput={(event) => setTool(event.currentTarget.value)} />
        </label>
        <label>
          Path
          <input value={path} onInput={(event) => setPath(event.currentTarget.value)} />
        </label>
        <label>
          Verdict
          <select value={verdict} onChange={(event) => setVerdict(event.currentTarget.value as Verdict)}>
            <option value="all">all</option>
            <option value="allowed">allowed</option>
            <option value="refused">refused</option>
          </select>
        </label>
        <span class="quiet" aria-live="polite">
          {shown.length} of {state.events.length}
        </span>
      </form>
      {state.events.length === 0 ? (
        <Empty title="Nothing has been decided yet">
          Decisions appear here the moment they are made, while this page is open.
        </Empty>
      ) : (
        <div class="beside">
          <WindowedList
            label="Decisions"
            items={shown}
            keyOf={(item) => item.number}
            render={(item) => (
              <Row item={item} open={item.number === opened} onOpen={() => setOpened(item.number)} />
            )}
          />
          {detail !== undefined && <Detail item={detail} onClose={() => setOpened(undefined)} />}
        </div>
      )}
    </div>
  );
}

interface RowProps {
  readonly item: PageEvent;
  readonly open: boolean;
  readonly onOpen: () => void;
}

function Row({ item: { event }, open, onOpen }: RowProps): VNode {
  return (
    <button type="button" class="row" aria-expanded={open} onClick={onOpen}>
      <span class="quiet">{timeOf(event.at)}</span>
      <span class={`badge ${event.decision === 'allowed' ? 'good' : 'bad'}`}>{event.decision}</span>
      <span class="tool">{event.tool}</span>
      <code class="path">{event.path}</code>
    </button>
  );
}

function Detail({
  item: { event, pid },
  onClose,
}: {
  readonly item: PageEvent;
  readonly onClose: () => void;
}): VNode {
  const { rule, remedy } = explain(event);
  return (
    <aside class="card detail" aria-label="Decision">
      <h2>
        {event.tool}{' '}
        <span class={`badge ${event.decision === 'allowed' ? 'good' : 'bad'}`}>{event.decision}</span>
      </h2>
      <p>
        <code class="path">{event.path}</code>
      </p>
      <p>{rule}</p>
      {remedy !== '' && <p>{remedy}</p>}
      <p class="quiet">
        {new Date(event.at).toISOString()} · pid {pid} · session {event.session}
      </p>
      <button type="button" onClick={onClose}>
        Close
      </button>
    </aside>
  );
}
