import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { ChildRegistry } from '../../src/lifecycle/child-registry.js';

const sleeper = () => spawn('sleep', ['3600'], { stdio: 'ignore' });

test('ChildRegistry.end() ends the children it knows', async () => {
  const children = new ChildRegistry();
  const child = sleeper();
  const exited = once(child, 'exit');
  children.add(child);
  expect(children.size).toBe(1);
  await children.end();
  expect(await exited).toEqual([null, 'SIGTERM']);
  expect(children.size).toBe(0);
  await children.end();
});

test('ChildRegistry.kill() does not wait', async () => {
  const children = new ChildRegistry();
  const child = sleeper();
  const exited = once(child, 'exit');
  children.add(child);
  children.kill();
  expect(await exited).toEqual([null, 'SIGKILL']);
});

test('ChildRegistry.kill() also ends those that were asked and stayed, although their parent has gone', async () => {
  const children = new ChildRegistry();
  // The parent obeys SIGTERM; its child ignores it, in a session of its own, and says when it is ready.
  const script = '(trap "" TERM; exec setsid sh -c "echo ready; sleep 3600") & wait';
  const child = spawn('sh', ['-c', script], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
  await once(child.stdout, 'data');
  children.add(child);
  const gone = once(child, 'close');
  const ending = children.end();
  await once(child, 'exit');
  children.kill();
  await expect(gone).resolves.toBeDefined();
  await ending;
});

test('ChildRegistry.kill() also ends what those that were asked have started since', async () => {
  const children = new ChildRegistry();
  // The parent obeys SIGTERM; its child, in a session of its own, starts another process instead, and says so.
  const stays = 'trap "sleep 3600 & echo forked" TERM; echo ready; while :; do sleep 1; done';
  const script = `(exec setsid sh -c '${stays}') & wait`;
  const child = spawn('sh', ['-c', script], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
  await once(child.stdout, 'data');
  children.add(child);
  const gone = once(child, 'close');
  const ending = children.end();
  // Once the parent is gone, end() kills by itself, and may be faster than the other is at starting anything.
  await Promise.race([once(child.stdout, 'data'), gone]);
  children.kill();
  await expect(gone).resolves.toBeDefined();
  await ending;
});

test('ChildRegistry forgets a child that exited, was disposed of, or never started', async () => {
  const children = new ChildRegistry();
  const ended = spawn('true', { stdio: 'ignore' });
  children.add(ended);
  await once(ended, 'exit');
  expect(children.size).toBe(0);
  children.add(ended);
  expect(children.size).toBe(0);
  const child = sleeper();
  children.add(child)[Symbol.dispose]();
  expect(children.size).toBe(0);
  child.kill();
  const missing = spawn('/does/not/exist');
  missing.on('error', () => undefined);
  children.add(missing);
  expect(children.size).toBe(0);
});
