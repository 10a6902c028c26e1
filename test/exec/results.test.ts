import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ScriptedClient, connectToProcess, type SpawnedConnection } from '@rootward/mcp/testing';
import { bareEnvironment, PROGRAM, textOf } from '../server/fixtures/rootward.js';
import { isRunning, makeProject } from './fixtures/tools-project.js';
import { eventually } from '../../testing/eventually.js';

/** With as many lines of 1 KB, more than a pipe holds. */
const CROWD = 1000;
const project = makeProject({
  text: 'echo hello',
  data: `echo '{"a": 1}'`,
  list: `echo '[1, 2]'`,
  number: 'echo 42',
  whole: `echo '{"content":[{"type":"text","text":"as is"},{"type":"nonsense"}],"structuredContent":{"b":2}}'`,
  success: `mcp_result_success '{"x":"y"}'`,
  denied: `mcp_error permission_denied 'not yours "really"' --hint 'ask' --data '{"n":1}'\ncat /etc/passwd`,
  'denied-inside': `set +e; value=$(mcp_error permission_denied no); echo "went on with $value"`,
  'result-error': `mcp_result_error '{"why":"z"}'; echo went on`,
  several: `echo note; echo '{"a":1}'; echo '{"success":false,"error":{"type":"first"}}'; echo '{"isError":true,"content":[]}'`,
  exits: 'echo partial; echo one >&2; echo two >&2; exit 3',
  signalled: 'kill -KILL $$',
  fails: `mcp_fail -32001 'no luck' '{"k":1}'`,
  'fails-inside': `set +e; x=$(mcp_args_require .nothing); echo "went on $x"`,
  bytes: `#!/bin/sh\nprintf 'a\\377b'`,
  stdin: '#!/bin/sh\ncat; echo end',
  floods:
    '#!/bin/sh\nyes 0123456789012345678901234567890123456789012345678901234567890123456789 | head -c 104857600',
  closes: '#!/bin/sh\necho early; exec 1>&-; exit 0',
  quick: '#!/bin/sh\nexit 0',
  broken: '#!/no/such/interpreter\n',
  leaves: '#!/bin/sh\nsleep 1000 &\necho left $!',
  typed: {
    script: 'mcp_args_raw',
    meta: {
      inputSchema: {
        type: 'object',
        properties: { n: { type: 'integer' } },
        required: ['n'],
        additionalProperties: false,
      },
      outputSchema: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
    },
  },
  mistyped: {
    script: `echo '{"n":"x"}'`,
    meta: { outputSchema: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] } },
  },
  echo: 'mcp_args_raw',
  helpers: `mcp_json_obj int "$(mcp_args_int .n --min 1 --max 9)" bool "$(mcp_args_bool .b --default true)" got "$(mcp_args_get '.x // "none"')" arr "$(mcp_json_arr a 'b"c')" esc "$(mcp_json_escape $'t\\t\\x01')"`,
  // Opened by name, as many scripts do.
  'by-name': '#!/bin/sh\necho out >/dev/stdout\necho wrong >/dev/stderr\nexit 3',
  hushed: `printf 'no line end' >&2; { mcp_progress 50 half; } 2>/dev/null; exec 2>/dev/null; mcp_progress 60 more; exit 3`,
  // Node sets standard error to not wait, which must not be true of the channel: its lines would be lost.
  crowded: {
    file: 'tool.mjs',
    script: `#!${process.execPath}
const { progress } = await import(\`\${process.env.MCP_SDK}/tool.mjs\`);
for (let line = 1; line <= ${CROWD}; line++) {
  console.error('x'.repeat(1000));
  progress(line);
}
`,
  },
  // Prints on when it is told to end.
  deaf: `#!/bin/bash\ntrap '' TERM\ncat /dev/zero`,
  'last-words': `trap 'mcp_progress 99 late; touch "$MCPBASH_PROJECT_ROOT/said"; exit' TERM
mcp_progress 1 here
while :; do sleep 0.05; done`,
  'no-file': '#!/bin/sh\nmkfifo "$MCP_TOOL_ERROR_FILE"',
  talks: `mcp_progress 10 'a "bit"'; mcp_log_warn logger 'careful'; mcp_progress 100 done 200; echo spoke`,
});

let server: SpawnedConnection;
let client: ScriptedClient;

beforeAll(async () => {
  server = connectToProcess(process.execPath, {
    args: [PROGRAM, '--project', project.path],
    env: bareEnvironment(),
  });
  client = new ScriptedClient(server);
  await client.connect();
});
afterAll(() => server.process.kill('SIGKILL'));

describe('the result of an executable', () => {
  test.each([
    ['text', { content: [{ type: 'text', text: 'hello\n' }] }],
    ['data', { content: [{ type: 'text', text: '{"a": 1}' }], structuredContent: { a: 1 } }],
    ['list', { structuredContent: { result: [1, 2] } }],
    ['number', { content: [{ type: 'text', text: '42\n' }] }],
    [
      'whole',
      {
        content: [
          { type: 'text', text: 'as is' },
          { type: 'text', text: '{"type":"nonsense"}' },
        ],
        structuredContent: { b: 2 },
      },
    ],
    ['success', { structuredContent: { success: true, result: { x: 'y' } } }],
    [
      'denied',
      {
        isError: true,
        structuredContent: {
          success: false,
          error: { type: 'permission_denied', message: 'not yours "really"', hint: 'ask', data: { n: 1 } },
        },
      },
    ],
    ['denied-inside', { isError: true, structuredContent: { error: { type: 'permission_denied' } } }],
    ['result-error', { isError: true, structuredContent: { success: false, error: { why: 'z' } } }],
    ['several', { isError: true, structuredContent: { success: false, error: { type: 'first' } } }],
    ['exits', { isError: true, content: [{ text: 'exits ended with exit code 3\none\ntwo\npartial\n' }] }],
    ['signalled', { isError: true, content: [{ text: 'signalled ended with signal SIGKILL' }] }],
    ['bytes', { content: [{ text: 'a\uFFFDb' }, { text: expect.stringContaining('UTF-8') as string }] }],
    ['stdin', { content: [{ text: 'end\n' }] }],
    ['closes', { content: [{ text: 'early\n' }] }],
    ['quick', { content: [{ text: '' }] }],
    [
      'broken',
      { isError: true, content: [{ text: expect.stringContaining('Cannot run broken') as string }] },
    ],
    ['mistyped', { isError: true, content: [{ text: expect.stringContaining('n') as string }] }],
  ])('of %s', async (name, expected) => {
    expect(await client.callTool(name)).toMatchObject(expected);
  });

  test('never shows what was printed after an error', async () => {
    expect(textOf(await client.callTool('denied'))).not.toContain('root:');
    expect(textOf(await client.callTool('denied-inside'))).not.toContain('went on');
    expect(textOf(await client.callTool('result-error'))).not.toContain('went on');
  });

  test('is an error of the protocol where the tool says so, also from within $( )', async () => {
    await expect(client.callTool('fails')).rejects.toMatchObject({
      code: -32_001,
      message: 'no luck',
      data: { k: 1 },
    });
    await expect(client.callTool('fails-inside')).rejects.toMatchObject({ code: -32_602 });
  });

  test('is cut with an error where it is over 10 MiB', async () => {
    const result = await client.callTool('floods');
    expect(result['isError']).toBe(true);
    expect(textOf(result)).toContain('more than 10485760 bytes');
    expect(textOf(result).length).toBeLessThan(100_000);
  });

  test.runIf(process.platform === 'linux')(
    'is not kept beyond that, even if the tool prints on',
    async () => {
      const result = await client.callTool('deaf');
      expect(textOf(result)).toContain('more than 10485760 bytes');
      const status = readFileSync(`/proc/${server.process.pid}/status`, 'utf8');
      expect(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1])).toBeLessThan(300 * 1024);
    },
  );

  test('is of no interest to whoever cancelled, nor is progress', async () => {
    const before = client.received.length;
    const told = (): readonly unknown[] =>
      client.received
        .slice(before)
        .flatMap((message) => ('params' in message ? [message.params?.['progress']] : []));
    const controller = new AbortController();
    const { signal } = controller;
    const call = client.callTool('last-words', {}, { signal, meta: { progressToken: 'l' } });
    await eventually(() => expect(told()).toEqual([1]));
    controller.abort(new Error('gave up'));
    await expect(call).rejects.toThrow('gave up');
    await eventually(() => expect(existsSync(join(project.path, 'said'))).toBe(true));
    await client.callTool('text');
    expect(told()).toEqual([1]);
  });

  test('does not wait for what a tool leaves running, and ends it', async () => {
    const pid = Number(textOf(await client.callTool('leaves')).split(' ')[1]);
    expect(pid).toBeGreaterThan(0);
    expect(isRunning(pid)).toBe(false);
  });

  test('is not even started with arguments that do not fit', async () => {
    expect(await client.callTool('typed', { n: 1 })).toMatchObject({ structuredContent: { n: 1 } });
    const refused = await client.callTool('typed', { n: 'x', m: 2 });
    expect(refused['isError']).toBe(true);
    expect(textOf(refused)).toContain('n: expected integer, received string');
    expect(textOf(refused)).toContain('unknown argument "m"');
    expect(textOf(refused)).not.toContain('unknown argument "n"');
  });

  test('comes from arguments of any size', async () => {
    const long = 'é"\n'.repeat(100_000);
    const result = await client.callTool('echo', { long });
    expect(result['structuredContent']).toEqual({ long });
  });

  test('may be made with the helpers for arguments and JSON', async () => {
    const result = await client.callTool('helpers', { n: 3, b: false });
    expect(result['structuredContent']).toEqual({
      int: '3',
      bool: 'false',
      got: 'none',
      arr: '["a","b\\"c"]',
      esc: '"t\\t\\u0001"',
    });
    await expect(client.callTool('helpers', { n: 10 })).rejects.toMatchObject({ code: -32_602 });
  });

  test.runIf(process.platform === 'linux')(
    'holds what a script writes to /dev/stdout and /dev/stderr',
    async () => {
      const result = await client.callTool('by-name');
      expect(textOf(result)).toContain('out');
      expect(textOf(result)).toContain('wrong');
      expect(textOf(result)).not.toContain('No such device');
    },
  );

  test('keeps progress and errors apart, wherever the tool sends its errors', async () => {
    const before = client.received.length;
    const result = await client.callTool('hushed', {}, { meta: { progressToken: 'q' } });
    const told = client.received
      .slice(before)
      .flatMap((message) => ('params' in message ? [message.params] : []));
    expect(told).toMatchObject([{ message: 'half' }, { message: 'more' }]);
    expect(textOf(result)).toContain('no line end');
    expect(textOf(result)).not.toContain('half');
  });

  test('comes after all progress, however much else the tool says', async () => {
    const before = client.received.length;
    const result = await client.callTool('crowded', {}, { meta: { progressToken: 'c' } });
    expect(textOf(result)).toBe('');
    const told = client.received
      .slice(before)
      .flatMap((message) => ('params' in message ? [message.params?.['progress']] : []));
    expect(told).toEqual(Array.from({ length: CROWD }, (_, line) => line + 1));
  });

  test.runIf(process.platform !== 'win32')('does not wait for an error file that is none', async () => {
    await expect(client.callTool('no-file')).rejects.toMatchObject({
      message: 'The error file of the tool is not a file',
    });
  });

  test('comes after progress and log lines, live', async () => {
    const before = client.received.length;
    await client.callTool('talks', {}, { meta: { progressToken: 'p' } });
    const told = client.received.slice(before).filter((message) => 'method' in message);
    expect(told.map((message) => ('params' in message ? message.params : undefined))).toEqual([
      { progressToken: 'p', progress: 10, total: 100, message: 'a "bit"' },
      { level: 'warning', logger: 'logger', data: 'careful' },
      { progressToken: 'p', progress: 100, total: 200, message: 'done' },
    ]);
  });
});

test('executable tools are listed with title, schema and all four annotations', async () => {
  const { tools } = (await client.request('tools/list')) as { tools: Record<string, unknown>[] };
  expect(tools.find(({ name }) => name === 'typed')).toEqual({
    name: 'typed',
    title: 'typed',
    description: 'typed',
    inputSchema: {
      type: 'object',
      properties: {
        n: { type: 'integer' },
        workspace: { type: 'string', description: 'Handle from workspace_info' },
      },
      required: ['n'],
      additionalProperties: false,
    },
    outputSchema: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
    annotations: {
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: true,
    },
  });
});
