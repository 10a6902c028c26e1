import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { connectToProcess } from '@rootward/mcp/testing';
import { eventually } from '../../testing/eventually.js';
import { isRunning } from '../exec/fixtures/tools-project.js';
import { INNER, makeFolder, PROGRAM, roots, textOf, wrap } from './fixtures/wrapped.js';

const NODE = process.execPath;

async function gone(...pids: readonly number[]): Promise<void> {
  await eventually(() => expect(pids.filter((pid) => isRunning(pid))).toEqual([]));
}

async function withChild(): Promise<{
  kill: (signal: NodeJS.Signals) => void;
  end: () => void;
  exit: Promise<number | null>;
  pids: number[];
}> {
  const { client, connection } = await wrap([NODE, INNER], { roots: roots(makeFolder('a')) });
  const child = Number(textOf(await client.callTool('child')));
  const { pid } = JSON.parse(textOf(await client.callTool('where'))) as { pid: number };
  expect([child, pid].every((each) => isRunning(each))).toBe(true);
  return {
    kill: (signal) => void connection.process.kill(signal),
    end: () => void connection.output.end(),
    exit: connection.exit,
    pids: [child, pid],
  };
}

describe.skipIf(process.platform !== 'linux')('nothing is left behind', () => {
  test.each(['SIGTERM', 'SIGINT', 'SIGKILL'] as const)('on %s', async (signal) => {
    const rounds = Number(process.env['ROOTWARD_WRAP_KILLS'] ?? 1);
    for (let round = 0; round < rounds; round++) {
      const started = await withChild();
      started.kill(signal);
      await started.exit;
      await gone(...started.pids);
    }
  });

  test.each(['SIGTERM', 'SIGKILL'] as const)('of a shell with job control, on %s', async (signal) => {
    const folder = makeFolder('a');
    const file = join(folder, 'job');
    const script = 'set -m; sleep 1000 >/dev/null 2>&1 & echo $! >"$0"; exec "$@"';
    const { client, connection } = await wrap(['bash', '-c', script, file, NODE, INNER], {
      roots: roots(folder),
    });
    await client.callTool('where');
    const job = Number(readFileSync(file, 'utf8'));
    expect(isRunning(job)).toBe(true);
    connection.process.kill(signal);
    await connection.exit;
    await gone(job);
  });

  test('when the client closes stdin', async () => {
    const started = await withChild();
    started.end();
    expect(await started.exit).toBe(0);
    await gone(...started.pids);
  });

  test('of a call that was under way when stdin was closed: its answer still leaves', async () => {
    // One that tells of changes is not asked for its roots again, which it could not answer any more.
    const { client, connection } = await wrap([NODE, INNER], {
      roots: roots(makeFolder('a')),
      listChanged: true,
    });
    await client.callTool('where');
    const answer = client.callTool('echo', { value: 'last' });
    connection.output.end();
    expect(textOf(await answer)).toBe('last');
    expect(await connection.exit).toBe(0);
  });
});

describe('bad use', () => {
  async function run(...args: readonly string[]): Promise<{ code: number | null; stderr: string }> {
    const started = connectToProcess(NODE, { args: [PROGRAM, 'wrap', ...args], cwd: makeFolder('x') });
    started.output.end();
    started.input.resume();
    return { code: await started.exit, stderr: started.stderr() };
  }

  test.each([
    [['--'], 'the command of the server is missing'],
    [['--', 'no-such-program-anywhere'], 'no folder of PATH has it'],
    [['--', './missing.js'], 'is not a file'],
    [['--on-change', 'sometimes', '--', NODE], 'Cannot use "sometimes" as --on-change'],
    [['--set-env', 'NAME', '--', NODE], 'expected NAME=VALUE'],
    [['--root', '/no/such/folder', '--', NODE], '/no/such/folder'],
  ])('%j exits with 2 and says why', async (args, reason) => {
    const { code, stderr } = await run(...args);
    expect(stderr).toContain(reason);
    expect(code).toBe(2);
  });

  test.runIf(process.platform !== 'win32')(
    'a file that may not be executed: it says what to do',
    async () => {
      const { code, stderr } = await run('--', INNER);
      expect(stderr).toContain('is not executable; put the program that runs it in front, or run chmod +x');
      expect(code).toBe(2);
    },
  );

  test('a server that exits at once: the client is told, with its last words', async () => {
    await expect(wrap([NODE, INNER, '--exit'])).rejects.toThrow(
      /Cannot start the server: the server ended \(exit code 3\); its last words: no configuration found/,
    );
  });

  test('a program that is no server at all: the client is told', async () => {
    await expect(wrap(['true'])).rejects.toThrow(/Cannot start the server: the server ended \(exit code 0\)/);
  });

  test.each(['legacy', 'modern'] as const)(
    'a program that repeats what it reads: a %s client is told',
    async (era) => {
      await expect(wrap(['cat'], { era })).rejects.toThrow(
        'Cannot start the server: it sends back what it is sent; is it an MCP server?',
      );
    },
  );
});
