import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { connectV1, connectV2, openSession, startServer, startWrapped, TOKENS } from './fixtures/http.js';
import { INNER, makeFolder, PROGRAM } from './fixtures/wrapped.js';

const folder = makeFolder('work');
const COMMAND = [process.execPath, INNER];
const ROOTWARD_LIMITS = 'sessions=1';

async function statusFor(url: URL, host: string): Promise<number | undefined> {
  const headers = { Host: host, Authorization: `Bearer ${TOKENS[0]}` };
  const [response] = (await once(request(url, { headers }).end(), 'response')) as [IncomingMessage];
  response.resume();
  return response.statusCode;
}

test('wrap --http lets in whoever uses the public address', async () => {
  const env = { ROOTWARD_PUBLIC_URL: 'https://mcp.example.com/mcp' };
  const { url } = await startWrapped(['--root', folder], COMMAND, { env });
  expect(await statusFor(url, 'mcp.example.com')).toBe(400);
  expect(await statusFor(url, 'other.example.com')).toBe(403);
  const flags = ['--root', folder, '--public-url', 'https://flag.example.com/mcp'];
  const named = await startWrapped(flags, COMMAND, { env });
  expect(await statusFor(named.url, 'flag.example.com')).toBe(400);
});

test.each([[[]], [['--share']]])('wrap --http %j --audit names who called', async (flags) => {
  const audit = join(makeFolder('logs'), 'audit.jsonl');
  const { url } = await startWrapped(['--root', folder, '--audit', audit, ...flags], COMMAND);
  for (const connect of [connectV1, connectV2]) {
    const client = await connect(url, folder, TOKENS[1]);
    await client.call('where');
    await client.close();
  }
  const lines = readFileSync(audit, 'utf8').trimEnd().split('\n');
  const principal = [createHash('sha256').update(TOKENS[1]).digest('hex').slice(0, 16)];
  const called = { principal, tool: 'where', decision: 'allowed' };
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([called, called]);
});

test.each([[['--http', '0']], [[]]])('wrap %j refuses limits that it would not hold', async (flags) => {
  const { PATH } = process.env;
  const env = { PATH, HOME: makeFolder('home'), ROOTWARD_LIMITS };
  const args = [PROGRAM, 'wrap', ...flags, '--root', folder, '--', ...COMMAND];
  const [code, err] = await new Promise<[unknown, string]>((resolve) => {
    const child = execFile(process.execPath, args, { env }, (error, _, text) => resolve([error?.code, text]));
    onTestFinished(() => void child.kill());
    child.stdin?.end();
  });
  expect(code).toBe(2);
  expect(err).toContain(
    'Cannot use ROOTWARD_LIMITS for a wrapped server: it is for --http without the command wrap',
  );
});

test('rootward --http with wrap in rootward.json holds them', async () => {
  const config = join(makeFolder('config'), 'rootward.json');
  const [command, ...args] = COMMAND;
  writeFileSync(config, JSON.stringify({ wrap: { inner: { command, args } } }));
  const { url } = await startServer(['--http', '0', '--config', config, folder], {
    env: { ROOTWARD_LIMITS },
  });
  const { post } = await openSession(url);
  expect(await (await post('tools/list')).text()).toContain('inner_where');
  expect((await openSession(url)).headers['mcp-session-id']).toBe('');
  expect((await openSession(url, TOKENS[1])).headers['mcp-session-id']).not.toBe('');
});

test('rootward --http with wrap in rootward.json has a server for each principal, whatever its era', async () => {
  const config = join(makeFolder('config'), 'rootward.json');
  const [command, ...args] = COMMAND;
  writeFileSync(config, JSON.stringify({ wrap: { inner: { command, args } } }));
  const { url } = await startServer(['--http', '0', '--config', config, folder]);
  const pids: string[] = [];
  for (const token of TOKENS) {
    for (const connect of [connectV1, connectV2]) {
      const caller = await connect(url, folder, token);
      pids.push(
        /"pid":(\d+)/.exec(JSON.stringify(await caller.call('inner_where')).replaceAll('\\', ''))?.[1] ?? '',
      );
      await caller.close();
    }
  }
  const [one, oneAgain, other, otherAgain] = pids;
  expect([oneAgain, otherAgain]).toEqual([one, other]);
  expect([one, other]).toEqual([expect.stringMatching(/^\d+$/), expect.not.stringMatching(`^${one}$`)]);
});
