import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { connectRootward, makeFolders, textOf } from '../server/fixtures/rootward.js';
import { makeProject } from './fixtures/tools-project.js';
import { eventually } from '../../testing/eventually.js';

const AT_ONCE = 16;
const CALLS = 40;

const folders = makeFolders('marks');
const marks = folders.path('marks');
const log = join(marks, 'log');
const project = makeProject({
  // Notes its start, then waits to be let go.
  hold: `#!/bin/bash
number=\${MCP_TOOL_ARGS_JSON//[!0-9]/}
echo "$number" >> '${log}'
while [ ! -e '${marks}/go-'"$number" ]; do sleep 0.05; done
echo "held $number"
`,
});

function started(): readonly number[] {
  return existsSync(log) ? readFileSync(log, 'utf8').trimEnd().split('\n').map(Number) : [];
}

async function whenStarted(count: number): Promise<void> {
  await eventually(() => expect(started().length).toBeGreaterThanOrEqual(count));
}

test('16 tools run at once; the rest wait in order, and those that gave up are passed over', async () => {
  const { client } = await connectRootward(['--project', project.path]);
  const controllers = Array.from({ length: CALLS }, () => new AbortController());
  const calls = controllers.map(({ signal }, number) =>
    client.callTool('hold', { number }, { signal }).then(textOf, (error: unknown) => String(error)),
  );
  await whenStarted(AT_ONCE);
  // Whatever else had been started with them would have written by the time another tool call is answered.
  await client.callTool('workspace_info');
  expect([...started()].sort((a, b) => a - b)).toEqual(Array.from({ length: AT_ONCE }, (_, n) => n));

  controllers[17]!.abort(new Error('gave up'));
  await client.request('ping');
  const order = Array.from({ length: CALLS }, (_, n) => n).filter((n) => n >= AT_ONCE && n !== 17);
  for (const [freed, next] of order.entries()) {
    // One leaves, whichever; the one that waited longest comes.
    writeFileSync(join(marks, `go-${started()[freed]}`), '');
    await whenStarted(AT_ONCE + freed + 1);
    expect(started().slice(AT_ONCE + freed)).toEqual([next]);
  }
  for (let number = 0; number < CALLS; number++) writeFileSync(join(marks, `go-${number}`), '');
  expect(await Promise.all(calls)).toEqual(
    calls.map((_, number) => (number === 17 ? 'Error: gave up' : `held ${number}\n`)),
  );
});
