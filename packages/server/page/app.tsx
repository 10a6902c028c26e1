import { render, type ComponentType, type VNode } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { Ask } from './ask.js';
import { Children } from './children.js';
import { Connection, type PageState, type Status } from './connection.js';
import { Consent } from './consent.js';
import { Decisions } from './decisions.js';
import { Empty } from './empty.js';
import { History } from './history.js';
import { Now } from './now.js';
import type { ViewProps } from './view.js';

const VIEWS: Readonly<Record<string, ComponentType<ViewProps>>> = {
  Now,
  Decisions,
  Children,
  History,
  Ask,
  Consent,
};

const STATUS: Readonly<Record<Status, string>> = {
  connecting: 'Connecting',
  connected: 'Live',
  lost: 'Connection lost, trying again',
  refused: 'Not connected',
};

function App({ token }: { readonly token: string }): VNode {
  const [state, setState] = useState<PageState>({ status: 'connecting', processes: [], events: [] });
  const [name, setName] = useState('Now');
  const connection = useMemo(() => new Connection(token, setState), [token]);
  useEffect(() => {
    void connection.follow();
  }, [connection]);
  const View = VIEWS[name] ?? Now;
  const waiting = state.processes.reduce((sum, { questions }) => sum + questions.length, 0);
  return (
    <>
      <header class="top">
        <h1>Rootward</h1>
        <nav aria-label="Views">
          {Object.keys(VIEWS).map((view) => (
            <button
              key={view}
              type="button"
              aria-current={view === name ? 'page' : undefined}
              onClick={() => setName(view)}
            >
              {view}
              {view === 'Consent' && waiting > 0 && <span class="count">{waiting}</span>}
            </button>
          ))}
        </nav>
        <p class={`status ${state.status}`} role="status">
          {STATUS[state.status]}
        </p>
      </header>
      <main>
        {state.status === 'connected' || (state.status === 'lost' && View === Decisions) ? (
          <View state={state} act={(pid, method, params) => connection.act(pid, method, params)} />
        ) : (
          <Unknown status={state.status} />
        )}
      </main>
    </>
  );
}

/** In place of a view that would say more than is known. */
function Unknown({ status }: { readonly status: Status }): VNode | null {
  if (status === 'refused') {
    return (
      <Empty title="The token is not known">
        Open the address that the command <code>ui</code> printed last: it ends in the token of that run.
      </Empty>
    );
  }
  if (status !== 'lost') return null;
  return (
    <Empty title="The connection is lost">
      What runs cannot be seen until the program that shows this page answers again. The decisions seen so far
      are still here.
    </Empty>
  );
}

const root = document.querySelector('#app');
if (root !== null) render(<App token={location.hash.slice(1)} />, root);
