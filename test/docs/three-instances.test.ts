import { spawn } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../testing/free-port.js';
import { isInstalled } from '../../testing/redis-server.js';
import { INITIALIZE, MCP_HEADERS, send } from '../server/fixtures/http.js';
import { makeFolders, PROGRAM } from '../server/fixtures/rootward.js';
import { blocksIn, repository } from './pages.js';

const BLOCK = blocksIn('bash').find(({ page }) => page === 'docs/scaling.md');
const { top: home } = makeFolders('bin', 'site');

/** With ports that are free here instead of those of the page. */
async function withFreePorts(code: string): Promise<string> {
  const ports = new Map<string, string>();
  for (const port of ['6379', '7421', '7422', '7423']) ports.set(port, String(await freePort()));
  return code.replaceAll(/\b(?:6379|742[123])\b/g, (port) => ports.get(port) ?? port);
}

/** What the commands of the page need. */
const areInstalled = ['bash', 'curl', 'openssl', 'redis-server'].every(isInstalled);

describe.runIf(process.platform !== 'win32' && areInstalled)('docs/scaling.md', () => {
  test('serves with three instances when its commands are copied into a shell', async () => {
    const program = `exec ${JSON.stringify(process.execPath)} ${JSON.stringify(PROGRAM)} "$@"`;
    writeFileSync(join(home, 'bin/npx'), `#!/bin/sh\nshift\n${program}\n`);
    chmodSync(join(home, 'bin/npx'), 0o755);
    const shell = spawn('bash', ['-c', await withFreePorts(BLOCK!.code)], {
      cwd: repository,
      env: { PATH: `${join(home, 'bin')}:${process.env['PATH']}`, HOME: home },
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true,
    });
    onTestFinished(() => void process.kill(-shell.pid!, 'SIGKILL'));
    let out = '';
    for await (const text of shell.stdout.setEncoding('utf8') as AsyncIterable<string>) {
      out += text;
      if (out.endsWith('/mcp\n')) break;
    }
    expect(out).toMatch(/^ok +store +127\.0\.0\.1:\d+ can be used$/m);
    expect(out).toMatch(/^ok\nhttp:\/\/127\.0\.0\.1:\d+\/mcp\n$/m);
    const url = /http:\S+\/mcp/.exec(out)?.[0] ?? '';
    const token = readFileSync(join(home, 'team/tokens.txt'), 'utf8').trim();
    const headers = { ...MCP_HEADERS, Authorization: `Bearer ${token}` };
    for (let instance = 0; instance < 3; instance++) {
      expect((await send(url, headers, INITIALIZE)).status).toBe(200);
    }
  });
});
