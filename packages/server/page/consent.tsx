import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { ConfirmButton } from './confirm-button.js';
import { Empty } from './empty.js';
import type { ProcessState, ShownConsent } from '../src/watch/protocol.js';
import { lastPart, timeOf, type ViewProps } from './view.js';

/** Questions that a client could not show its user, and what was allowed until it is revoked. */
export function Consent({ state, act }: ViewProps): VNode {
  const { processes } = state;
  const waiting = processes.flatMap((process) =>
    process.questions.map((question) => ({ process, question })),
  );
  // Every process knows them all.
  const standing = new Map(processes.flatMap(({ consents }) => consents.map((each) => [each.id, each])));
  const revoke = ({ id: consent, path }: ShownConsent): Promise<unknown> =>
    Promise.all(processes.map(({ pid }) => act(pid, 'withdraw', { consent, path })));
  return (
    <>
      {waiting.length === 0 && <NoQuestion />}
      <ul class="stack plain">
        {waiting.map(({ process, question }) => (
          <Waiting key={question.id} process={process} question={question} act={act} />
        ))}
      </ul>
      {standing.size > 0 && (
        <section aria-labelledby="standing">
          <h2 id="standing">Allowed until revoked</h2>
          <ul class="stack plain">
            {[...standing.values()].map((consent) => (
              <li key={consent.id} class="card">
                <h3 class="path">{consent.message}</h3>
                <p class="quiet">since {new Date(consent.since).toLocaleString()}</p>
                <ConfirmButton
                  label="Revoke"
                  question={`Ask again about ${lastPart(consent.path)}, and close it where it is open?`}
                  tone="danger"
                  act={() => revoke(consent)}
                />
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

function NoQuestion(): VNode {
  return (
    <Empty title="No question is waiting">
      With <code>--ui-consent</code>, what a client cannot ask its user waits here for a minute. Any process
      of yours could answer in your place, so the option is off by default.
    </Empty>
  );
}

interface WaitingProps {
  readonly process: ProcessState;
  readonly question: ProcessState['questions'][number];
  readonly act: ViewProps['act'];
}

function Waiting({ process, question, act }: WaitingProps): VNode {
  // An answer counts once: until the question goes away, a second click would reach nobody.
  const [isAnswered, setAnswered] = useState(false);
  const [problem, setProblem] = useState('');
  const answer = (accepted: boolean, stands: boolean): void => {
    setAnswered(true);
    act(process.pid, 'answer', { question: question.id, accepted, stands }).catch((error: unknown) => {
      setProblem(error instanceof Error ? error.message : String(error));
      setAnswered(false);
    });
  };
  return (
    <li class="card">
      <h2>{question.message}</h2>
      <p class="quiet">
        {lastPart(process.directory)} · since {timeOf(question.since)}
      </p>
      <p class="actions">
        <button type="button" class="good" disabled={isAnswered} onClick={() => answer(true, false)}>
          Allow for this session
        </button>
        {question.canStand && (
          <button type="button" disabled={isAnswered} onClick={() => answer(true, true)}>
            Allow until revoked
          </button>
        )}
        <button type="button" disabled={isAnswered} onClick={() => answer(false, false)}>
          Decline
        </button>
      </p>
      {problem !== '' && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
    </li>
  );
}
