// Performs operations of the model, and kills itself at its n-th step on the disk.
import fs from 'node:fs';
import { once } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';

const [{ root, directory, session, operations, after }] = await once(process, 'message');
const STEPS = [
  'writeSync',
  'renameSync',
  'linkSync',
  'symlinkSync',
  'unlinkSync',
  'mkdirSync',
  'rmdirSync',
  'fchmodSync',
  'chmodSync',
  'ftruncateSync',
];
let left = Infinity;
for (const name of STEPS) {
  const act = fs[name];
  fs[name] = (...args) => {
    if (left-- <= 0) process.kill(process.pid, 'SIGKILL');
    return act(...args);
  };
}
syncBuiltinESMExports();
const { Scope } = await import('@rootward/core');
const { History } = await import('@rootward/core/history');

const scope = new Scope({ roots: [root] });
const recorder = new History({ directory }).change({ tool: 'test', session }, scope.roots);
const recorded = scope.recordedBy(recorder);
left = after;
for (const { method, args } of operations) {
  const [path, text] = args;
  const more = method === 'update' ? [path, (reading) => text + reading.text] : args;
  await recorded[method](...more).catch(() => undefined);
}
recorder.finish();
process.kill(process.pid, 'SIGKILL');
