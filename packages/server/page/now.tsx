import type { VNode } from 'preact';
import type { ProcessState, ShownRoot, ShownSession } from '../src/watch/protocol.js';
import { ConfirmButton } from './confirm-button.js';
import { Callers } from './callers.js';
import { Empty, NotShown } from './empty.js';
import { Ladder } from './ladder.js';
import { lastPart, timeOf, type ViewProps } from './view.js';

/** Who is connected, what they may touch, and why. */
export function Now({ state, act }: ViewProps): VNode {
  if (state.processes.length === 0) {
    return (
      <Empty title="No server is running">
        As soon as a client starts Rootward, it appears here. The command <code>install --client NAME</code>{' '}
        puts it into a client.
      </Empty>
    );
  }
  return (
    <div class="stack">
      {state.processes.map((process) => (
        <Process key={process.pid} process={process} act={act} />
      ))}
    </div>
  );
}

function Process({
  process,
  act,
}: {
  readonly process: ProcessState;
  readonly act: ViewProps['act'];
}): VNode {
  const limit = (path: string, kind: string) => act(process.pid, 'limit', { path, limit: kind });
  return (
    <article class="card">
      <header>
        <h2>{lastPart(process.directory)}</h2>
        <p class="quiet">
          {process.transport} · pid {process.pid} · {process.version} · since {timeOf(process.started)}
        </p>
      </header>
      {process.limits.length > 0 && (
        <ul class="limits" aria-label="What you took away">
          {process.limits.map(({ path, limit: kind }) => (
            <li key={path}>
              <span class={`badge ${kind === 'revoked' ? 'bad' : 'warn'}`}>{kind}</span> <code>{path}</code>
              <ConfirmButton
                label="Lift"
                question="Give it back?"
                act={() => act(process.pid, 'lift', { path })}
              />
            </li>
          ))}
        </ul>
      )}
      {process.caveat !== '' && <p class="caveat">{process.caveat}</p>}
      {process.sessions.length === 0 && <p class="quiet">No client is connected.</p>}
      {process.sessions.map((session) => (
        <Session key={session.id} session={session} limit={limit} />
      ))}
      <NotShown processes={[process]} />
    </article>
  );
}

interface SessionProps {
  readonly session: ShownSession;
  readonly limit: (path: string, kind: string) => Promise<unknown>;
}

function Session({ session, limit }: SessionProps): VNode {
  const { client, era, roots, rootCount, trace, rejected, project, since } = session;
  return (
    <section class="session" aria-label={client === '' ? 'A client' : client}>
      <h3>
        {client === '' ? 'A client' : client}{' '}
        <span class="quiet">
          {era}, since {timeOf(since)}
        </span>
      </h3>
      <p class="quiet">{project === undefined || project === '' ? 'no project' : `project ${project}`}</p>
      <div class="columns">
        <div>
          <h4>May touch</h4>
          {roots.length === 0 && <p class="quiet">Nothing: every path is refused.</p>}
          <ul class="roots">
            {roots.map((root) => (
              <RootRow key={root.path} root={root} limit={limit} />
            ))}
          </ul>
          {rootCount > roots.length && <p class="quiet">and {rootCount - roots.length} more</p>}
          {rejected.length > 0 && (
            <details>
              <summary>{rejected.length} not accepted</summary>
              <ul>
                {rejected.map(({ declared, source, reason }) => (
                  <li key={`${source} ${declared}`}>
                    <code>{declared}</code> <span class="badge warn">{reason}</span>
                  </li>
                ))}
              </ul>
            </details>
          )}
          <Callers session={session} />
        </div>
        <div>
          <h4>Why</h4>
          <Ladder trace={trace} />
        </div>
      </div>
    </section>
  );
}

function RootRow({
  root,
  limit,
}: {
  readonly root: ShownRoot;
  readonly limit: SessionProps['limit'];
}): VNode {
  const { path, access, source, broad } = root;
  return (
    <li>
      <code class="path">{path}</code>
      <span class={`badge ${access === 'read-only' ? 'warn' : 'good'}`}>{access}</span>
      <span class="badge">from {source}</span>
      {broad && <span class="badge warn">broad</span>}
      <span class="actions">
        {access !== 'read-only' && (
          <ConfirmButton
            label="Read-only"
            question="Refuse every change in it?"
            act={() => limit(path, 'read-only')}
          />
        )}
        <ConfirmButton
          label="Revoke"
          tone="danger"
          question="Refuse it until you lift this?"
          act={() => limit(path, 'revoked')}
        />
      </span>
    </li>
  );
}
