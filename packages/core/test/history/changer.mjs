// Changes files at random through a recorded scope until it is killed, or `rounds` times.
import { Scope } from '@rootward/core';
import { History } from '@rootward/core/history';

const { root, directory, seed, rounds } = JSON.parse(process.argv[2]);
const scope = new Scope({ roots: [root] });
const history = new History({ directory });
let state = seed;
const pick = (below) => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) % below;
const path = () =>
  ['a', 'b', 'c']
    .slice(0, 1 + pick(3))
    .map((name) => name + pick(4))
    .join('/');
const text = () => String(pick(1000)).repeat(pick(3) === 0 ? 40_000 : 3);

async function changeOnce() {
  const recorder = history.change({ tool: 'test', session: String(seed) }, scope.roots);
  const recorded = scope.recordedBy(recorder);
  try {
    for (let steps = 1 + pick(3); steps > 0; steps--) {
      const kind = pick(7);
      if (kind < 2) await recorded.mkdir(path(), { recursive: true });
      else if (kind === 2) await recorded.remove(path(), { recursive: true });
      else if (kind === 3) await recorded.rename(path(), path(), { overwrite: true });
      else await recorded.write(path(), text());
    }
  } catch {
    // Many are refused: no such folder, or a file in the way.
  }
  recorder.finish();
  return recorder.id;
}

const ids = [];
process.send('ready');
for (let round = 0; round < rounds; round++) {
  const id = await changeOnce();
  if (id !== undefined) ids.push(id);
  await new Promise((resolve) => setImmediate(resolve));
}
process.send(ids);
process.disconnect();
