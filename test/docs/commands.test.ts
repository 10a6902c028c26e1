import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { blocksIn } from './pages.js';
import { freePort } from '../../testing/free-port.js';
import { PROGRAM } from '../server/fixtures/rootward.js';

/** Commands of clients, which are not here. */
const FOREIGN = /^(?:claude|codex|copilot|gemini|qwen|code) /;
/** All of rootward but completion, whose page is carried out step by step elsewhere. */
const COMMANDS = blocksIn('sh').flatMap(({ page, line, code }) =>
  code
    .split('\n')
    .map((text, index) => ({ page, line: line + index + 1, command: text.replace(/\s+#.*$/, '').trim() }))
    .filter(({ command }) => /\brootward (?!completion)/.test(command) && !FOREIGN.test(command)),
);

const home = realpathSync(mkdtempSync(join(tmpdir(), 'rootward-docs-')));
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** A home with what the pages speak of, and `rootward` and `npx` on the path. */
beforeAll(() => {
  for (const folder of ['site', 'app/docs/house', 'tools-project/tools', 'bin']) {
    mkdirSync(join(home, folder), { recursive: true });
  }
  const program = `exec ${JSON.stringify(process.execPath)} ${JSON.stringify(PROGRAM)} "$@"`;
  for (const [name, script] of [
    ['rootward', program],
    ['npx', `shift\n${program}`],
  ] as const) {
    writeFileSync(join(home, 'bin', name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(home, 'bin', name), 0o755);
  }
});

interface Outcome {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs one line in a shell to its end; a server over HTTP is told to stop once it says where it is. */
function runLine(command: string): Promise<Outcome> {
  const child = spawn('sh', ['-c', `exec ${command.replace(/^(\w+=\S+) /, 'env $1 ')}`], {
    cwd: join(home, 'site'),
    env: { PATH: `${join(home, 'bin')}:${process.env['PATH']}`, HOME: home },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
    if (/http:\/\/\S+\/mcp/.test(out)) child.kill('SIGTERM');
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  return new Promise((resolve) => {
    child.on('close', (code) => resolve({ code, out, err }));
  });
}

describe.runIf(process.platform !== 'win32')('The documentation', () => {
  test('has commands to run', () => {
    expect(COMMANDS.length).toBeGreaterThan(5);
  });

  test.each(COMMANDS)('shows a command that works: $page line $line: $command', async ({ command }) => {
    const filled = command
      .replace('ROOTWARD_TOKEN=…', `ROOTWARD_TOKEN=${'t'.repeat(32)}`)
      .replace('--http 9000', `--http ${await freePort()}`);
    const { code, out, err } = await runLine(filled);
    expect({ code, err: code === 0 ? '' : err }).toEqual({ code: 0, err: '' });
    expect(out.includes('/mcp')).toBe(filled.includes('--http'));
  });
});
