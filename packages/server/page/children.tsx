import type { VNode } from 'preact';
import { ConfirmButton } from './confirm-button.js';
import { lastPart } from './view.js';
import type { ViewProps } from './view.js';

/** What servers have started: tools that run, language servers, wrapped servers. */
export function Children({ state, act }: ViewProps): VNode {
  const all = state.processes.flatMap((process) => process.children.map((child) => ({ process, child })));
  if (all.length === 0) {
    return (
      <div class="empty">
        <h2>No child is running</h2>
        <p>Executable tools and language servers appear here while they run.</p>
      </div>
    );
  }
  return (
    <ul class="stack plain">
      {all.map(({ process, child }) => (
        <li key={child.pid} class="card line">
          <div>
            <code class="path">{child.command}</code>
            <p class="quiet">
              pid {child.pid} of {lastPart(process.directory)}
              {child.memoryKb !== undefined && ` · ${Math.round(child.memoryKb / 1024)} MB`}
            </p>
          </div>
          <ConfirmButton
            label="End"
            tone="danger"
            question="End it and all it started?"
            act={() => act(process.pid, 'end', { pid: child.pid })}
          />
        </li>
      ))}
    </ul>
  );
}
