import { expect, test } from 'vitest';
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
