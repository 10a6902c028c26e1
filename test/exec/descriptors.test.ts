import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { ScriptedClient, connectToProcess } from '@rootward/mcp/testing';
import { bareEnvironment, PROGRAM, textOf } from '../server/fixtures/rootward.js';
import { makeProject } from './fixtures/tools-project.js';
import { eventually } from '../../testing/eventually.js';

/** Some tools fit beside what the server itself needs, but not all that may run at once. */
const DESCRIPTORS = 44;
/** More than there are pipes in a batch, so that the next one is wanted while no program can be started. */
const CALLS = 200;

const project = makeProject({
  hold: '#!/bin/sh\nwhile [ ! -e "$MCPBASH_PROJECT_ROOT/go" ]; do sleep 0.05; done\necho held',
  'by-name': '#!/bin/sh\necho opened >/dev/stdout',
});
const server = connectToProcess('/bin/sh', {
  args: [
    '-c',
    `ulimit -n ${DESCRIPTORS}; exec "$@"`,
    'sh',
    process.execPath,
    PROGRAM,
    '--project',
    project.path,
  ],
  env: bareEnvironment(),
});
afterAll(() => server.process.kill('SIGKILL'));

test.runIf(process.platform === 'linux')(
  'without descriptors a call fails and says so; the server lives, and soon all is as before',
  async () => {
    const client = new ScriptedClient(server);
    await client.connect();
    const calls: Promise<string>[] = [];
    let failed = 0;
    for (let call = 0; call < CALLS; call++) {
      calls.push(
        client.callTool('hold').then((result) => {
          if (result.isError === true) failed += 1;
          return textOf(result);
        }),
      );
    }
    // Those that found room hold it; of the others, none waits.
    await eventually(() => expect(failed).toBeGreaterThan(CALLS - 16));
    expect(existsSync(join(project.path, 'go'))).toBe(false);
    writeFileSync(join(project.path, 'go'), '');
    const texts = await Promise.all(calls);
    expect(texts).toContain('held\n');
    const reasons = new Set(texts.filter((text) => text !== 'held\n'));
    expect([...reasons].filter((reason) => !reason.includes('EMFILE'))).toEqual([]);

    await eventually(async () => expect(textOf(await client.callTool('by-name'))).toBe('opened\n'));
    expect(server.process.exitCode).toBeNull();
  },
);
