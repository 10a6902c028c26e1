import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ScriptedClientError } from '@rootward/mcp/testing';
import { SERVERS, type Server } from './fixtures/servers.js';
import { direct, makeFolder, roots, wrap, type Wrapped } from './fixtures/wrapped.js';

/** What a server says to the steps, in a folder of its own. */
async function answers(connect: typeof wrap, server: Server): Promise<readonly unknown[]> {
  const folder = makeFolder('work');
  writeFileSync(join(folder, 'a.txt'), 'one\ntwo\n');
  const fill = <Value>(value: Value): Value =>
    JSON.parse(JSON.stringify(value).replaceAll('{root}', folder)) as Value;
  const command = connect === direct ? fill(server.command) : server.command;
  const env = server.env?.(folder) ?? {};
  const { client, connection, introduction } = await connect(command, {
    cwd: folder,
    roots: roots(folder),
    env,
  });
  const said: unknown[] = [introduction];
  for (const { method, params } of server.steps) said.push(await ask(client, method, fill(params ?? {})));
  // Not all of them end with their input; wrapped, they have to.
  if (connect === direct) connection.process.kill('SIGKILL');
  await client.close();
  const text = JSON.stringify(said).replaceAll(folder, '{root}');
  return JSON.parse(
    server.volatile === undefined ? text : text.replaceAll(server.volatile, '…'),
  ) as unknown[];
}

function ask(client: Wrapped['client'], method: string, params: Record<string, unknown>): Promise<unknown> {
  return client.request(method, params).catch((error: unknown) => {
    if (!(error instanceof ScriptedClientError)) throw error;
    return { code: error.code, message: error.message, data: error.data };
  });
}

describe('the same requests, directly and through wrap, have the same answers', () => {
  test.each(SERVERS)('$name', async (server) => {
    const [expected, got] = await Promise.all([answers(direct, server), answers(wrap, server)]);
    expect(got).toHaveLength(server.steps.length + 1);
    for (const [index, each] of expected.entries()) {
      expect({ step: server.steps[index - 1], answer: got[index] }).toEqual({
        step: server.steps[index - 1],
        answer: each,
      });
    }
  });
});
