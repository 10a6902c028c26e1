import { useState } from 'preact/hooks';
import type { VNode } from 'preact';

interface Props {
  readonly label: string;
  /** What the second click does, spelled out. */
  readonly question: string;
  readonly tone?: 'danger' | 'plain';
  readonly act: () => Promise<unknown>;
}

/** A button that asks once more before it acts, and says when it could not. */
export function ConfirmButton({ label, question, tone = 'plain', act }: Props): VNode {
  const [phase, setPhase] = useState<'idle' | 'asking' | 'acting'>('idle');
  const [problem, setProblem] = useState('');
  const run = (): void => {
    setPhase('acting');
    act().then(
      () => setPhase('idle'),
      (error: unknown) => {
        setProblem(error instanceof Error ? error.message : String(error));
        setPhase('idle');
      },
    );
  };
  if (phase === 'asking') {
    return (
      <span class="confirm" role="group" aria-label={question}>
        <span>{question}</span>
        <button type="button" class={tone} onClick={run}>
          Yes
        </button>
        <button type="button" onClick={() => setPhase('idle')}>
          No
        </button>
      </span>
    );
  }
  return (
    <span>
      <button type="button" class={tone} disabled={phase === 'acting'} onClick={() => setPhase('asking')}>
        {label}
      </button>
      {problem !== '' && (
        <span class="problem" role="alert">
          {problem}
        </span>
      )}
    </span>
  );
}
