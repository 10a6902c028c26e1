import { render, type ComponentType, type VNode } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { Ask } from './ask.js';
import { Children } from './children.js';
import { Connection, type PageState, type Status } from './connection.js';
import { Consent } from './consent.js';
import { Decisions } from './decisions.js';
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
        {state.status === 'refused' ? (
          <div class="empty">
            <h2>The token is not known</h2>
            <p>
              Open the address that <code>rootward ui</code> printed last: it ends in the token of that run.
            </p>
          </div>
        ) : (
          <View state={state} act={(pid, method, params) => connection.act(pid, method, params)} />
        )}
      </main>
    </>
  );
}

const root = document.querySelector('#app');
if (root !== null) render(<App token={location.hash.slice(1)} />, root);
