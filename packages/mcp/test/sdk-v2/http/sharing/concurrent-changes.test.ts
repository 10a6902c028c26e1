import { expect, test } from 'vitest';
import { MemoryStore } from '../../../../src/index.js';
import { shareSession, whenWaiting } from '../../../fixtures/instances.js';
import { temporaryFolder } from '../../../../../../testing/temporary-folders.js';

const { top, folder } = temporaryFolder('concurrent');
const [one, two, agreed, other] = [folder('one'), folder('two'), folder('agreed'), folder('other')];

/** Clients of three processes that speak for the same session. */
function connect(roots?: () => readonly string[]) {
  return shareSession(3, new MemoryStore(), top, roots);
}

test('a root that the client took back stays away when a process that did not hear of it saves something else', async () => {
  let roots = [one, two];
  const clients = await connect(() => roots);
  const [first, second] = clients;
  await first.callTool('roots');
  await second.callTool('roots');
  const call = second.callTool('grant', { path: agreed, wait: 'taken back' });
  const go = await whenWaiting('taken back');
  roots = [one];
  await first.notify('notifications/roots/list_changed');
  expect(await first.callTool('roots')).toMatchObject({ roots: [one] });
  const asked = first.asked;
  go();
  await call;
  for (const each of clients) {
    expect(await each.callTool('roots')).toEqual({ roots: [one, agreed], project: agreed });
  }
  expect(first.asked).toBe(asked);
});

test('of two places that the user agrees to at once in two processes, none is lost', async () => {
  const clients = await connect();
  const [first, second] = clients;
  const calls = [
    first.callTool('grant', { path: agreed, wait: 'agreed' }),
    second.callTool('grant', { path: other, wait: 'other' }),
  ];
  const [goFirst, goSecond] = [await whenWaiting('agreed'), await whenWaiting('other')];
  goFirst();
  await calls[0];
  // The second process takes over what the first one saved, while its own call is still under way.
  await second.request('ping');
  goSecond();
  await calls[1];
  for (const each of clients) {
    const { roots } = await each.callTool('roots');
    expect(roots).toEqual(expect.arrayContaining([agreed, other]));
  }
});

test('a change that the client announces while another process asks about the one before is not forgotten', async () => {
  let roots = [one, two];
  const [first, second, third] = await connect(() => roots);
  await first.callTool('roots');
  roots = [one];
  await first.notify('notifications/roots/list_changed');
  // Asked, and answered before the next change, which another process hears of.
  const answer = second.callTool('grant', { path: agreed, wait: 'before' });
  const go = await whenWaiting('before');
  roots = [two];
  await first.notify('notifications/roots/list_changed');
  go();
  await answer;
  expect(await third!.callTool('roots')).toMatchObject({ roots: [two, agreed] });
});
