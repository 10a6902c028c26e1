import { OperatorLimits } from '@rootward/core';
import { expect, test } from 'vitest';
import { EventHub } from '../../src/audit/event-hub.js';
import { LiveSessions, type LiveSession } from '../../src/watch/live-process.js';
import { isProcessState } from '../../src/watch/read-messages.js';
import { showState } from '../../src/watch/show-state.js';
import { WaitingQuestions } from '../../src/watch/waiting-questions.js';

test('showState() shows the newest sessions, and says how many there are', () => {
  const view = {
    snapshot: () => ({ roots: [], trace: [], rejected: [], client: 'answered' }),
    scope: () => ({ roots: [] }),
    project: () => ({ name: 'none' }),
  };
  const sessions = new LiveSessions();
  for (let index = 0; index < 150; index++) {
    const session = { id: String(index), era: 'legacy', since: index, client: () => '', view };
    sessions.add(session as unknown as LiveSession);
  }
  const state = showState({
    transport: 'http',
    directory: '/',
    started: 0,
    events: new EventHub(),
    limits: new OperatorLimits(),
    sessions,
    questions: new WaitingQuestions(),
    children: [],
    history: undefined,
  });
  expect(state.sessionCount).toBe(150);
  expect(state.sessions).toHaveLength(100);
  expect(state.sessions.at(-1)?.id).toBe('149');
  expect(isProcessState(JSON.parse(JSON.stringify(state)))).toBe(true);
});
