import { readPathRoots, viewSnapshot, type WorkspaceView } from '@rootward/core';
import { expect, test } from 'vitest';
import { Callers } from '../../src/context/callers.js';
import type { PlacedView } from '../../src/context/placed-view.js';
import { PreparedWorkspace } from '../../src/context/prepared-workspace.js';
import { Repository } from '../fixtures/agent-client.js';
import { BARE } from '../fixtures/in-process-server.js';

async function viewOf(path: string): Promise<WorkspaceView> {
  const { roots } = await readPathRoots([{ path }], { source: 'flag', home: '/nonexistent' });
  const fence = { homes: [], named: roots, ceiling: [], hinted: [] };
  return viewSnapshot({
    epoch: 0,
    roots,
    client: 'unsupported',
    rejected: [],
    trace: [],
    takenAt: 0,
    fence,
  });
}

test('Callers.place() sees a worktree that was added before the call came, also in the same turn', async () => {
  const repository = new Repository();
  const view = await viewOf(repository.main);
  const callers = new Callers(new PreparedWorkspace(BARE), () => true);
  const place = async (came: number): Promise<PlacedView> =>
    callers.place(view, { meta: {}, client: undefined, transport: 'local', came });
  const turn = { isOver: false };
  setImmediate(() => (turn.isOver = true));
  const [first, second] = [callers.arrive(), callers.arrive()];
  expect((await place(first)).directory()).toBe(repository.main);
  repository.addTree('one');
  // It came before, together with the first.
  expect((await place(second)).directory()).toBe(repository.main);
  const third = await place(callers.arrive());
  expect(() => third.directory()).toThrow('working tree');
  expect(turn.isOver).toBe(false);
});

test('Callers.place() keeps no look beyond the turn', async () => {
  const repository = new Repository();
  const view = await viewOf(repository.main);
  const callers = new Callers(new PreparedWorkspace(BARE), () => true);
  const early = { meta: {}, client: undefined, transport: 'local', came: callers.arrive() } as const;
  expect((await callers.place(view, early)).directory()).toBe(repository.main);
  repository.addTree('one');
  await new Promise((resolve) => setImmediate(resolve));
  const late = await callers.place(view, early);
  expect(() => late.directory()).toThrow('working tree');
});

test('Callers.place() looks once for all messages that have come, also those no handler has seen', async () => {
  const repository = new Repository();
  const view = await viewOf(repository.main);
  let arrived = 2;
  const callers = new Callers(new PreparedWorkspace(BARE), () => true);
  callers.arrived = () => arrived;
  const place = async (): Promise<PlacedView> =>
    callers.place(view, { meta: {}, client: undefined, transport: 'local', came: callers.arrive() });
  expect((await place()).directory()).toBe(repository.main);
  repository.addTree('one');
  // It had come with the first, and only its handler is called now.
  expect((await place()).directory()).toBe(repository.main);
  arrived += 1;
  const later = await place();
  expect(() => later.directory()).toThrow('working tree');
});
