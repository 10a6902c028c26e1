import type { VNode } from 'preact';
import { lastPart, timeOf, type ViewProps } from './view.js';

/** Questions that a client could not show its user. */
export function Consent({ state, act }: ViewProps): VNode {
  const all = state.processes.flatMap((process) =>
    process.questions.map((question) => ({ process, question })),
  );
  if (all.length === 0) {
    return (
      <div class="empty">
        <h2>No question is waiting</h2>
        <p>
          With <code>--ui-consent</code>, what a client cannot ask its user waits here for a minute. Any
          process of yours could answer in your place, so the option is off by default.
        </p>
      </div>
    );
  }
  return (
    <ul class="stack plain">
      {all.map(({ process, question }) => (
        <li key={question.id} class="card">
          <h2>{question.message}</h2>
          <p class="quiet">
            {lastPart(process.directory)} · since {timeOf(question.since)} · a yes holds until the session
            ends or you revoke it
          </p>
          <p class="actions">
            <button
              type="button"
              class="good"
              onClick={() => void act(process.pid, 'answer', { question: question.id, accepted: true })}
            >
              Allow
            </button>
            <button
              type="button"
              onClick={() => void act(process.pid, 'answer', { question: question.id, accepted: false })}
            >
              Decline
            </button>
          </p>
        </li>
      ))}
    </ul>
  );
}
