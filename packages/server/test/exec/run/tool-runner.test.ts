import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ChildRegistry } from '@rootward/mcp';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { discoverTools } from '../../../src/exec/catalogue/discover-tools.js';
import type { ExecutableTool } from '../../../src/exec/catalogue/executable-tool.js';
import { ToolRunner, type ToolCall, type UserAnswer } from '../../../src/exec/run/tool-runner.js';

const project = realpathSync(mkdtempSync(join(tmpdir(), 'rootward-runner-')));
afterAll(() => rmSync(project, { recursive: true, force: true }));

// Says that it is there whenever it is asked, and never ends by itself.
const ECHOES = `#!/bin/bash
source "$MCP_SDK/tool-sdk.sh"
mcp_progress 0 here
while :; do
  if [ -e "$MCPBASH_PROJECT_ROOT/tick" ]; then
    rm "$MCPBASH_PROJECT_ROOT/tick"
    mcp_progress 1 still
  fi
  sleep 0.01
done
`;

const ASKS = `#!/bin/bash
source "$MCP_SDK/tool-sdk.sh"
mcp_elicit_confirm sure
`;

function addTool(name: string, meta: Record<string, unknown>, script = ECHOES): void {
  const folder = join(project, 'tools', name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'tool.sh'), script);
  chmodSync(join(folder, 'tool.sh'), 0o755);
  writeFileSync(join(folder, 'tool.meta.json'), JSON.stringify({ name, ...meta }));
}

async function findTool(name: string): Promise<ExecutableTool> {
  const { tools } = await discoverTools(project);
  return tools.find(({ metadata }) => metadata.name === name)!;
}

/** A turn of the real event loop, in which processes and pipes are heard. */
const turn = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

class Running {
  ended: string | undefined;
  #heard = 0;

  constructor(runner: ToolRunner, tool: ExecutableTool, more: Partial<ToolCall> = {}) {
    const call = {
      args: {},
      roots: () => Promise.resolve([]),
      signal: new AbortController().signal,
      onMessage: () => {
        this.#heard += 1;
      },
      ...more,
    };
    void runner.run(tool, call).then((answer) => (this.ended = JSON.stringify(answer)));
  }

  /** Resolves when it has said something for the nth time. */
  async heard(times: number): Promise<void> {
    while (this.#heard < times) await turn();
  }

  /** Asks it for a sign. */
  async tick(): Promise<void> {
    const before = this.#heard;
    writeFileSync(join(project, 'tick'), '');
    await this.heard(before + 1);
  }

  /** Lets the second for a polite end pass, too. */
  async whenEnded(): Promise<string> {
    while (this.ended === undefined) {
      await vi.advanceTimersByTimeAsync(10);
      await turn();
    }
    return this.ended;
  }
}

// Only the clock is not real: minutes pass while the tool waits.
describe.runIf(process.platform !== 'win32')('the time a tool may take', () => {
  let runner: ToolRunner;
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    runner = new ToolRunner({
      project,
      environment: { PATH: process.env['PATH'] },
      children: new ChildRegistry(),
    });
  });
  afterEach(() => {
    runner.dispose();
    vi.useRealTimers();
  });

  test('is 30 s where it does not say', async () => {
    addTool('plain', {});
    const running = new Running(runner, await findTool('plain'));
    await running.heard(1);
    await running.tick();
    await vi.advanceTimersByTimeAsync(29_000);
    await running.tick();
    expect(running.ended).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1000);
    expect(await running.whenEnded()).toContain('plain did not finish within 30 s');
  });

  test('is what it says', async () => {
    addTool('brief', { timeoutSecs: 5 });
    const running = new Running(runner, await findTool('brief'));
    await running.heard(1);
    await vi.advanceTimersByTimeAsync(5000);
    expect(await running.whenEnded()).toContain('brief did not finish within 5 s');
  });

  test('stands still while the user is asked', async () => {
    addTool('asking', { timeoutSecs: 5 });
    const script =
      '#!/bin/bash\nsource "$MCP_SDK/tool-sdk.sh"\nmcp_elicit_confirm "Go on?"\nexec sleep 1000\n';
    writeFileSync(join(project, 'tools', 'asking', 'tool.sh'), script);
    const answers: ((given: UserAnswer) => void)[] = [];
    const running = new Running(runner, await findTool('asking'), {
      client: { asks: true, showsPages: false },
      ask: () =>
        new Promise((resolve) => {
          answers.push(resolve);
        }),
    });
    while (answers.length === 0) await turn();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(running.ended).toBeUndefined();
    answers[0]?.({ action: 'accept', content: { confirmed: true } });
    expect(await running.whenEnded()).toContain('asking did not finish within 5 s');
  });

  test('is ten minutes in all where progress extends it, however much there is', async () => {
    addTool('extended', { progressExtendsTimeout: true });
    const running = new Running(runner, await findTool('extended'));
    await running.heard(1);
    for (let passed = 0; passed < 580; passed += 20) {
      await vi.advanceTimersByTimeAsync(20_000);
      await running.tick();
    }
    expect(running.ended).toBeUndefined();
    await vi.advanceTimersByTimeAsync(20_000);
    expect(await running.whenEnded()).toContain('extended did not finish within 600 s');
  });

  test('stands still while the tool asks the user, and the tool takes no place among those that run', async () => {
    addTool('asks', { timeoutSecs: 3000 }, ASKS);
    const asked: ((answer: UserAnswer) => void)[] = [];
    const running = new Running(runner, await findTool('asks'), {
      client: { asks: true, showsPages: false },
      ask: () => new Promise((resolve) => void asked.push(resolve)),
    });
    while (asked.length === 0) await turn();
    expect(runner.load.running).toBe(0);
    await vi.advanceTimersByTimeAsync(4_000_000);
    asked[0]!({ action: 'accept', content: { confirmed: true } });
    expect(await running.whenEnded()).toContain('"structuredContent":{"action":"accept"');
  });

  test('is over when a tool that may extend it tells of nothing', async () => {
    addTool('stalled', { progressExtendsTimeout: true });
    const running = new Running(runner, await findTool('stalled'));
    await running.heard(1);
    await vi.advanceTimersByTimeAsync(20_000);
    await running.tick();
    await vi.advanceTimersByTimeAsync(30_000);
    expect(await running.whenEnded()).toContain('stalled told of no progress for 30 s');
  });
});

describe.runIf(process.platform !== 'win32')('a tool that does not start', () => {
  test.each([
    ['an interpreter that is missing', '#!/no/such/shell -e\n', 'asks for "/no/such/shell", which does not'],
    [
      'the line ends of Windows',
      '#!/bin/sh\r\necho\r\n',
      '"/bin/sh\\r", which does not exist (it has the line ends',
    ],
  ])('because of %s says so', async (_what, script, expected) => {
    addTool('broken', {});
    writeFileSync(join(project, 'tools', 'broken', 'tool.sh'), script);
    expect(await answerOf(await findTool('broken'))).toContain(expected);
  });

  test('because its interpreter does not start either blames no file that is there', async () => {
    const interpreter = join(project, 'interpreter');
    writeFileSync(interpreter, '#!/no/such/shell\n', { mode: 0o755 });
    addTool('broken', {});
    writeFileSync(join(project, 'tools', 'broken', 'tool.sh'), `#!${interpreter}\n`);
    const answer = await answerOf(await findTool('broken'));
    expect(answer).toContain('Cannot run broken');
    expect(answer).not.toContain('does not exist');
  });

  test('because it is gone says so', async () => {
    addTool('gone', {});
    const tool = await findTool('gone');
    rmSync(tool.file);
    expect(await answerOf(tool)).toContain('Cannot run gone: it is no longer there');
  });
});

async function answerOf(tool: ExecutableTool): Promise<string> {
  using runner = new ToolRunner({ project, environment: process.env, children: new ChildRegistry() });
  const { signal } = new AbortController();
  const answer = await runner.run(tool, { args: {}, roots: () => Promise.resolve([]), signal });
  if (answer.kind !== 'result') throw new Error(answer.message);
  return answer.result.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}

test('an error file longer than an output may be is not read', async () => {
  addTool('flood', {});
  const script = '#!/bin/sh\ndd if=/dev/null of="$MCP_TOOL_ERROR_FILE" bs=1 seek=3000000000\n';
  writeFileSync(join(project, 'tools', 'flood', 'tool.sh'), script);
  using runner = new ToolRunner({ project, environment: process.env, children: new ChildRegistry() });
  const answer = await runner.run(await findTool('flood'), {
    args: {},
    roots: () => Promise.resolve([]),
    signal: new AbortController().signal,
  });
  expect(answer).toMatchObject({
    kind: 'protocol-error',
    message: 'The error file of the tool has more than 10485760 bytes',
  });
});

test('a temporary folder that somebody cleaned away is made anew', async () => {
  const folder = join(project, 'tools', 'counts');
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, 'tool.sh'),
    '#!/bin/sh\nwc -c <"$MCP_TOOL_ARGS_FILE"; rm -r "${MCP_TOOL_ERROR_FILE%/*}"\n',
    { mode: 0o755 },
  );
  writeFileSync(join(folder, 'tool.meta.json'), '{}');
  using runner = new ToolRunner({ project, environment: process.env, children: new ChildRegistry() });
  const tool = await findTool('counts');
  const call = {
    args: { a: 'x'.repeat(70_000) },
    roots: () => Promise.resolve([]),
    signal: new AbortController().signal,
  };
  const answers = [await runner.run(tool, call), await runner.run(tool, call)];
  for (const answer of answers) {
    expect(answer).toEqual({ kind: 'result', result: { content: [{ type: 'text', text: '70008\n' }] } });
  }
});
