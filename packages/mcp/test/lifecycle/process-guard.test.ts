import { expect, onTestFinished, test, vi } from 'vitest';
import { ProcessGuard } from '../../src/lifecycle/process-guard.js';

const listeners = () =>
  ['SIGTERM', 'SIGINT', 'SIGHUP', 'exit']
    .map((event) => process.listenerCount(event))
    .concat(process.stderr.listenerCount('error'));

test('ProcessGuard.dispose() leaves no listener behind', () => {
  const before = listeners();
  const guard = new ProcessGuard();
  expect(listeners()).toEqual(before.map((count) => count + 1));
  guard.onShutdown(() => undefined)[Symbol.dispose]();
  guard.dispose();
  guard[Symbol.dispose]();
  expect(listeners()).toEqual(before);
});

test('ProcessGuard lets calls end after a signal, and leaves at once after a second one', () => {
  // With the clock stopped: what it waits for never comes.
  vi.useFakeTimers();
  const exit = vi.spyOn(process, 'exit').mockReturnValue(undefined as never);
  onTestFinished(() => {
    exit.mockRestore();
    vi.useRealTimers();
  });
  const before = new Set(process.listeners('SIGTERM'));
  using guard = new ProcessGuard();
  guard.drainWith(() => new Promise(() => undefined));
  const onSignal = process.listeners('SIGTERM').find((listener) => !before.has(listener));
  onSignal!('SIGTERM');
  expect(exit).not.toHaveBeenCalled();
  onSignal!('SIGTERM');
  expect(exit).toHaveBeenCalledExactlyOnceWith(0);
});
