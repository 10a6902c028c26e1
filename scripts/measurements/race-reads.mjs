// How many reads lead out while another process swaps a folder for a link: node scripts/measurements/race-reads.mjs [READS]
// (needs a build). Prints one line for each server; docs/security.md and docs/comparison.md quote it.
import { spawn } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const [reads = '5000', swapped] = process.argv.slice(2);
const AT_ONCE = 8;

/** Swaps the folder and the link for as long as it is not ended. */
function swap(root) {
  const [door, folder, link] = ['door', 'folder', 'link'].map((name) => join(root, name));
  for (;;) {
    renameSync(door, folder);
    renameSync(link, door);
    renameSync(door, link);
    renameSync(folder, door);
  }
}

async function race(program) {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'rootward-race-')));
  const root = join(top, 'root');
  for (const [folder, text] of [
    [join(root, 'door'), 'inside'],
    [join(top, 'closed'), 'outside'],
  ]) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'note.txt'), `it is ${text}`);
  }
  symlinkSync(join(top, 'closed'), join(root, 'link'));
  const server = spawn(process.execPath, [program, root], { stdio: ['pipe', 'pipe', 'ignore'], cwd: top });
  const swapper = spawn(process.execPath, [here('race-reads.mjs'), '0', root], { stdio: 'ignore' });
  const waiting = new Map();
  createInterface({ input: server.stdout }).on('line', (line) => {
    const { id, result } = JSON.parse(line);
    waiting.get(id)?.(JSON.stringify(result ?? ''));
  });
  const ask = (id, method, params) =>
    new Promise((settle) => {
      waiting.set(id, settle);
      server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    });
  const clientInfo = { name: 'race', version: '1.0.0' };
  await ask(0, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
  server.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  const call = { name: 'read_text_file', arguments: { path: join(root, 'door', 'note.txt') } };
  const counts = { inside: 0, outside: 0, refused: 0 };
  for (let id = 1; id <= Number(reads); id += AT_ONCE) {
    const ids = Array.from({ length: AT_ONCE }, (_, index) => id + index);
    for (const text of await Promise.all(ids.map((each) => ask(each, 'tools/call', call))))
      counts[/it is (\w+)/.exec(text)?.[1] ?? 'refused'] += 1;
  }
  swapper.kill();
  server.kill();
  rmSync(top, { recursive: true, force: true });
  return counts;
}

if (swapped !== undefined) swap(swapped);
for (const [name, program] of [
  ['rootward', here('../../packages/server/dist/rootward.cjs')],
  ['server-filesystem', here('../../node_modules/@modelcontextprotocol/server-filesystem/dist/index.js')],
]) {
  const { inside, outside, refused } = await race(program);
  const share = (100 * outside) / (inside + outside + refused);
  console.log(`${name}: ${share.toFixed(1)} % led out (${outside} out, ${inside} in, ${refused} refused)`);
}
