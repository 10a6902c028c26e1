// Runs the project and checks what it promises: inside the roots yes, outside no, with and without client roots.
//   node examples/tools-project/check.mjs
import assert from 'node:assert/strict';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { answering, connectToProcess, ScriptedClient } from '@rootward/mcp/testing';

const project = fileURLToPath(new URL('.', import.meta.url));
const program = fileURLToPath(new URL('../../packages/server/dist/rootward.cjs', import.meta.url));

async function withServer(options, use) {
  const { PATH, HOME, ROOTWARD_SANDBOX = 'off', ROOTWARD_SANDBOX_BACKENDS = '' } = process.env;
  const server = connectToProcess(process.execPath, {
    args: [program, '--project', project],
    // ROOTWARD_SANDBOX=strict runs the same in a sandbox.
    env: { PATH, HOME, ROOTWARD_SANDBOX, ROOTWARD_SANDBOX_BACKENDS },
  });
  const client = new ScriptedClient(server, options);
  await client.connect();
  const read = async (path) => {
    const { content, isError = false } = await client.callTool('example.roots.read', { path });
    return { isError, text: content[0].text };
  };
  await use(read);
  await client.close();
}

function tell(what, { isError, text }) {
  console.log(`${isError ? 'denied ' : 'allowed'} ${what}: ${text.split('\n')[isError ? 0 : 1]}`);
}

console.log('Without client roots, config/roots.json counts:');
await withServer({}, async (read) => {
  const inside = await read('./data/sample.txt');
  assert.equal(inside.isError, false);
  assert.match(inside.text, /Hello from inside/);
  tell('./data/sample.txt', inside);
  const outside = await read('/etc/passwd');
  assert.equal(outside.isError, true);
  assert.match(outside.text, /permission_denied/);
  assert.doesNotMatch(outside.text, /root:/);
  tell('/etc/passwd', outside);
});

console.log('With client roots, those do:');
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'rootward-example-')));
writeFileSync(join(folder, 'mine.txt'), 'Hello from the client\n');
try {
  await withServer({ roots: answering([{ uri: pathToFileURL(folder).href }]) }, async (read) => {
    const inside = await read(join(folder, 'mine.txt'));
    assert.equal(inside.isError, false);
    tell('mine.txt', inside);
    for (const path of ['./data/sample.txt', '/etc/passwd']) {
      const outside = await read(path);
      assert.equal(outside.isError, true);
      tell(path, outside);
    }
  });
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log('All as promised.');
