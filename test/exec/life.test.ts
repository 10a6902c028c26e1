import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { connectRootward, makeFolders, textOf } from '../server/fixtures/rootward.js';
import { isRunning, makeProject } from './fixtures/tools-project.js';
import { eventually } from '../../testing/eventually.js';

const folders = makeFolders('marks');
const marks = folders.path('marks');
const mark = (name: string): string => join(marks, name);

/** A grandchild that ignores SIGTERM, under a tool that ignores it too. `file` is where a word of bash says. */
const stubborn = (file: string): string => `#!/usr/bin/env bash
trap '' TERM
file=${file}
bash -c 'trap "" TERM; echo $$ > "$0.part"; mv "$0.part" "$0"; while :; do sleep 1000; done' "$file" &
echo $$ > "$file.self"
while :; do wait; done
`;

const project = makeProject({
  stubborn: stubborn('$(source "$MCP_SDK/tool-sdk.sh"; mcp_args_get .mark)'),
  // It starts nothing before it has left its marks: they are there long before its time is up.
  brief: { script: stubborn(mark('timeout')), meta: { timeoutSecs: 2 } },
  patient: {
    script: 'for i in {1..10}; do mcp_progress $i step; sleep 0.5; done; echo patient',
    meta: { timeoutSecs: 4, progressExtendsTimeout: true },
  },
  endless: {
    script: 'while :; do mcp_progress 1 again; sleep 0.1; done',
    meta: { timeoutSecs: 0.6, progressExtendsTimeout: true, maxTimeoutSecs: 1 },
  },
  polite: `file=$(mcp_args_get .mark)
trap 'if mcp_is_cancelled; then echo told > "$file"; fi; exit 0' TERM
mcp_progress 1 running
while :; do sleep 0.05; done`,
  nap: 'mcp_progress 1 up; sleep "$(mcp_args_get .s)"; mcp_emit_text "$(mcp_args_get .n)"',
});
const args = ['--project', project.path];

async function whenWritten(file: string): Promise<number> {
  // A shell makes a file before it writes into it.
  return eventually(() => {
    const text = readFileSync(file, 'utf8');
    expect(text).not.toBe('');
    return Number(text);
  });
}

async function pids(name: string): Promise<readonly number[]> {
  return [await whenWritten(mark(name)), await whenWritten(mark(`${name}.self`))];
}

async function whenGone(processes: readonly number[]): Promise<void> {
  await eventually(() => expect(processes.filter((pid) => isRunning(pid))).toEqual([]));
}

describe('a tool that ignores SIGTERM, with a grandchild that does', () => {
  test('is gone after its time is up, and the caller is told', async () => {
    const { client } = await connectRootward(args);
    const result = await client.callTool('brief');
    expect(result['isError']).toBe(true);
    expect(textOf(result)).toContain('did not finish within 2 s');
    await whenGone(await pids('timeout'));
  });

  test('is gone after it was cancelled', async () => {
    const { client } = await connectRootward(args);
    const controller = new AbortController();
    const call = client.callTool('stubborn', { mark: mark('cancel') }, { signal: controller.signal });
    const running = await pids('cancel');
    controller.abort(new Error('enough'));
    await expect(call).rejects.toThrow('enough');
    await whenGone(running);
  });

  test.each([
    ['the client leaves', (server: { output: { end(): void } }) => server.output.end()],
    [
      'SIGTERM',
      (server: { process: { kill(signal: NodeJS.Signals): unknown } }) => server.process.kill('SIGTERM'),
    ],
    [
      'SIGKILL',
      (server: { process: { kill(signal: NodeJS.Signals): unknown } }) => server.process.kill('SIGKILL'),
    ],
  ])('is gone, and its files are, after %s ended the server', async (how, end) => {
    const { server, client } = await connectRootward(args);
    const name = how.replaceAll(' ', '-');
    const call = client.callTool('stubborn', { mark: mark(name) }).catch(() => undefined);
    const running = await pids(name);
    const folder = toolFolder(running[1]!);
    expect(existsSync(folder)).toBe(true);
    end(server);
    await server.exit;
    await call;
    await whenGone(running);
    await eventually(() => expect(existsSync(folder)).toBe(false));
  });
});

/** Where the server keeps what belongs to a call, as the tool itself sees it. */
function toolFolder(pid: number): string {
  const variables = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  const file = variables.find((each) => each.startsWith('MCP_TOOL_ERROR_FILE='))!.split('=')[1]!;
  expect(file.startsWith(tmpdir())).toBe(true);
  return join(file, '..');
}

describe('the time a tool may take', () => {
  test('is extended by progress where the metadata says so, up to a limit', async () => {
    const { client } = await connectRootward(args);
    const [patient, endless] = await Promise.all([client.callTool('patient'), client.callTool('endless')]);
    expect(textOf(patient)).toBe('patient\n');
    expect(textOf(endless)).toContain('did not finish');
  });

  test('ends with a word to those who ask whether they were cancelled', async () => {
    const { client } = await connectRootward(args);
    const controller = new AbortController();
    const call = client.callTool(
      'polite',
      { mark: mark('polite') },
      {
        signal: controller.signal,
        meta: { progressToken: 1 },
      },
    );
    await client.until(() => client.received.some((each) => 'method' in each));
    controller.abort(new Error('enough'));
    await expect(call).rejects.toThrow('enough');
    await whenWritten(mark('polite'));
  });
});

describe.runIf(process.platform === 'linux')('200 calls at once, some of them cancelled', () => {
  test('are each answered once, and leave no process, file or descriptor behind', async () => {
    // Without a place for the socket for pages, which is opened a moment after the start.
    const env = { XDG_RUNTIME_DIR: '/nonexistent' };
    const { server, client } = await connectRootward(args, {}, { env });
    const pid = server.process.pid!;
    await client.callTool('nap', { s: 0, n: -1 });
    const before = readdirSync(`/proc/${pid}/fd`).length;
    const ends = Array.from({ length: 200 }, async (_, n) => {
      const controller = new AbortController();
      const call = client.callTool('nap', { s: (n % 7) / 100, n }, { signal: controller.signal });
      // Half of them, at moments that differ from run to run.
      if (n % 2 === 0) setTimeout(() => controller.abort(new Error('cancelled')), Math.random() * 1500);
      return call.then(
        (result) => textOf(result) === `${n}\n`,
        (error: unknown) => n % 2 === 0 && String(error).includes('cancelled'),
      );
    });
    expect(await Promise.all(ends)).toEqual(ends.map(() => true));
    const answered = client.received.flatMap((each) =>
      'id' in each && !('method' in each) ? [each.id] : [],
    );
    expect(new Set(answered).size).toBe(answered.length);
    expect(textOf(await client.callTool('nap', { s: 0, n: 'after' }))).toBe('after\n');
    await eventually(() => {
      expect(childrenOf(pid).length).toBe(1);
      expect(readdirSync(`/proc/${pid}/fd`).length).toBeLessThanOrEqual(before);
      expect(filesOf(pid)).toEqual(['groups']);
    });
  });
});

/** Those of the table whose parent it is: of a server at rest, only its guard. */
function childrenOf(parent: number): readonly string[] {
  return readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'latin1');
      return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === parent;
    } catch {
      return false;
    }
  });
}

/** What lies in the folder of the server, which its guard names first. */
function filesOf(server: number): readonly string[] {
  const [guard] = childrenOf(server);
  const words = readFileSync(`/proc/${guard}/cmdline`, 'utf8').split('\0');
  return readdirSync(words[words.indexOf('rootward-guard') + 1]!);
}
