// The adversary of races.process.test.ts: swaps one name between what belongs there and a link to outside, as fast as it can.
import { renameSync, symlinkSync, unlinkSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';

const [mode, path, outside, inside] = process.argv.slice(2);
const SWAPS_PER_TURN = 100;
const MAX_PAUSE_NS = 40_000;

const state = { stopped: false };
process.on('message', () => {
  state.stopped = true;
});
process.on('disconnect', () => process.exit(0));

function pause() {
  const until = process.hrtime.bigint() + BigInt(Math.floor(Math.random() * MAX_PAUSE_NS));
  while (process.hrtime.bigint() < until);
}

function exchange() {
  renameSync(path, `${path}.aside`);
  renameSync(`${path}.link`, path);
  pause();
  renameSync(path, `${path}.link`);
  renameSync(`${path}.aside`, path);
  pause();
}

function flip() {
  for (const target of [outside, inside]) {
    symlinkSync(target, `${path}.next`);
    renameSync(`${path}.next`, path);
    pause();
  }
}

if (mode === 'exchange') symlinkSync(outside, `${path}.link`);
const swap = mode === 'exchange' ? exchange : flip;
process.send('ready');
while (!state.stopped) {
  for (let count = 0; count < SWAPS_PER_TURN; count++) swap();
  await nextTurn();
}
if (mode === 'exchange') unlinkSync(`${path}.link`);
process.disconnect();
