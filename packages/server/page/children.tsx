import type { VNode } from 'preact';
import type { ProcessState, ShownChild } from '../src/watch/protocol.js';
import { ConfirmButton } from './confirm-button.js';
import { Empty } from './empty.js';
import { lastPart, type ViewProps } from './view.js';

/** What servers have started: tools that run, language servers, wrapped servers. */
export function Children({ state, act }: ViewProps): VNode {
  const all = state.processes.flatMap((process) => process.children.map((child) => ({ process, child })));
  if (all.length === 0) {
    return (
      <Empty title="No child is running">
        Executable tools, language servers and wrapped servers appear here while they run.
      </Empty>
    );
  }
  return (
    <ul class="stack plain">
      {all.map(({ process, child }) => (
        <Child key={child.pid} process={process} child={child} act={act} />
      ))}
    </ul>
  );
}

interface ChildProps {
  readonly process: ProcessState;
  readonly child: ShownChild;
  readonly act: ViewProps['act'];
}

function Child({ process, child, act }: ChildProps): VNode {
  const { pid, kind, name, command, sandbox, memoryKb, lastLines, canRestart } = child;
  const title = name === '' ? command : name;
  return (
    <li class="card child" aria-label={title}>
      <header class="line">
        <div>
          <h2 class="path">{title}</h2>
          <p class="quiet">
            {kind} · pid {pid} of {lastPart(process.directory)}
          </p>
        </div>
        <span class="actions">
          {canRestart && (
            <ConfirmButton
              label="Restart"
              question="Put a new one in its place?"
              act={() => act(process.pid, 'restart', { pid })}
            />
          )}
          <ConfirmButton
            label="End"
            tone="danger"
            question="End it and all it started?"
            act={() => act(process.pid, 'end', { pid })}
          />
        </span>
      </header>
      <dl class="facts">
        <div>
          <dt>Sandbox</dt>
          <dd>
            <span class={`badge ${isLoose(sandbox) ? 'warn' : 'good'}`}>
              {sandbox === '' ? 'off' : sandbox}
            </span>
          </dd>
        </div>
        <div>
          <dt>Memory</dt>
          <dd>{memoryKb === undefined ? 'not known' : `${Math.round(memoryKb / 1024)} MB`}</dd>
        </div>
      </dl>
      {title !== command && (
        <details>
          <summary>Command</summary>
          <code class="path command">{command}</code>
        </details>
      )}
      {lastLines.length > 0 && (
        <pre class="lines" role="region" aria-label={`Last lines of ${title}`} tabIndex={0}>
          {lastLines.join('\n')}
        </pre>
      )}
    </li>
  );
}

function isLoose(sandbox: string): boolean {
  return sandbox === '' || sandbox === 'off';
}
