import { expect, test } from 'vitest';
import type { Instance } from '../../src/inner/instance.js';
import { Questions } from '../../src/session/outer.js';
import { ServerQuestions } from '../../src/session/server-questions.js';
import { RawMessage } from '../../src/wire/raw-message.js';

test('ServerQuestions forgets a question that its server takes back, and what belongs to it', () => {
  const asked: RawMessage[] = [];
  const questions = new Questions({
    send: (pieces) => void asked.push(RawMessage.read(Buffer.concat([...pieces]))!),
  });
  const told: unknown[] = [];
  const server: Pick<Instance, 'send'> = { send: (pieces) => void told.push(pieces) };
  const instance = server as Instance;
  const open = new ServerQuestions(questions);
  const params = { _meta: { progressToken: 'form' } };
  open.put(RawMessage.from({ id: 'own', method: 'elicitation/create', params }), instance, undefined);
  expect(open.ownerOf('"form"')).toBe(instance);
  const cancelled = { method: 'notifications/cancelled', params: { requestId: 'own' } };
  expect(open.takeBack(RawMessage.from(cancelled), instance)).toBeDefined();
  expect(open.ownerOf('"form"')).toBeUndefined();
  const late = RawMessage.from({ id: asked[0]?.value('id'), result: {} });
  expect(questions.settle(late)).toBe(false);
  expect(told).toEqual([]);
});
