import { useState } from 'preact/hooks';
import type { VNode } from 'preact';
import { NotShown } from './empty.js';
import { lastPart, type ViewProps } from './view.js';

interface Answer {
  readonly inScope: boolean;
  readonly path?: string;
  readonly root?: string;
  readonly source?: string;
  readonly exists?: boolean;
  readonly writable?: boolean;
  readonly message?: string;
  readonly instruction?: string;
}

/** May this path be touched, and why? */
export function Ask({ state, act }: ViewProps): VNode {
  const [path, setPath] = useState('');
  const [answers, setAnswers] = useState<readonly { readonly who: string; readonly answer: Answer }[]>([]);
  const [problem, setProblem] = useState('');
  const ask = async (): Promise<void> => {
    setProblem('');
    const sessions = state.processes.flatMap((process) =>
      process.sessions.map((session) => ({ process, session })),
    );
    if (sessions.length === 0) setProblem('No client is connected, so there is nobody to ask for.');
    try {
      setAnswers(
        await Promise.all(
          sessions.map(async ({ process, session }) => ({
            who: `${session.client || 'A client'} in ${lastPart(process.directory)}`,
            answer: (await act(process.pid, 'ask', { session: session.id, path })) as Answer,
          })),
        ),
      );
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <div class="stack">
      <form
        class="ask"
        onSubmit={(event) => {
          event.preventDefault();
          void ask();
        }}
      >
        <label>
          Path
          <input
            required
            autocomplete="off"
            placeholder="/path/to/a/file"
            value={path}
            onInput={(event) => setPath(event.currentTarget.value)}
          />
        </label>
        <button type="submit">May it be touched?</button>
      </form>
      {problem !== '' && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <NotShown processes={state.processes} />
      <ul class="stack plain" aria-live="polite">
        {answers.map(({ who, answer }) => (
          <li key={who} class="card">
            <h2>
              <span class={`badge ${answer.inScope ? 'good' : 'bad'}`}>{answer.inScope ? 'yes' : 'no'}</span>{' '}
              {who}
            </h2>
            {answer.inScope ? (
              <p>
                <code class="path">{answer.path}</code> is inside <code class="path">{answer.root}</code>{' '}
                (from {answer.source}); it {answer.exists === true ? 'exists' : 'does not exist yet'} and{' '}
                {answer.writable === true ? 'may be changed' : 'may only be read'}.
              </p>
            ) : (
              <p>
                {answer.message}. {answer.instruction}
              </p>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}
