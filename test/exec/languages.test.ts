import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { connectRootward, makeFolders, PROGRAM, textOf } from '../server/fixtures/rootward.js';
import { runCommand } from './fixtures/run-command.js';
import { makeProject } from './fixtures/tools-project.js';

const NODE = `#!${process.execPath}
const tool = await import(process.env.MCP_SDK + '/tool.mjs');
const { path, how } = tool.args();
tool.progress(5, 'five');
tool.log('info', 'hello', 'me');
if (how === 'fail') tool.fail('no luck', { code: -32001, data: { k: 1 } });
if (how === 'error') tool.toolError('denied', 'no', { hint: 'ask' });
if (how === 'require') tool.result({ path: tool.requirePath(path) });
else tool.result({ roots: tool.roots().map(({ path }) => path), inside: tool.contains(path), cancelled: tool.isCancelled() });
`;
const PYTHON = `#!/usr/bin/env python3
import os, sys
sys.path.insert(0, os.environ["MCP_SDK"])
sys.dont_write_bytecode = True
import rootward_tool as tool
given = tool.args()
path, how = given.get("path"), given.get("how")
tool.progress(5, "five")
tool.log("info", "hello", "me")
if how == "fail":
    tool.fail("no luck", code=-32001, data={"k": 1})
if how == "error":
    tool.tool_error("denied", "no", hint="ask")
if how == "require":
    tool.result({"path": tool.require_path(path)})
else:
    tool.result({"roots": [each["path"] for each in tool.roots()], "inside": tool.contains(path), "cancelled": tool.is_cancelled()})
`;
const ECHO = `#!/usr/bin/env python3
import os, sys
sys.path.insert(0, os.environ["MCP_SDK"])
sys.dont_write_bytecode = True
import rootward_tool as tool
print("first")
tool.result({"said": tool.args()["say"], "name": os.fsdecode(b"x\\xff")})
`;
const LARGE = `#!${process.execPath}
const tool = await import(process.env.MCP_SDK + '/tool.mjs');
// Looking at it is enough for Node to let the pipe wait for nobody.
tool.result({ terminal: process.stdout.isTTY === true, text: 'x'.repeat(4_000_000) });
`;
const SHELL = `path=$(mcp_args_get '.path // ""')
mcp_progress 5 five
mcp_log_info me hello
case $(mcp_args_get '.how // ""') in
  fail) mcp_fail -32001 'no luck' '{"k":1}' ;;
  error) mcp_error denied no --hint ask ;;
  require) printf '{"path":%s}' "$(mcp_json_escape "$(mcp_require_path .path)")" ;;
  *)
    inside=false; cancelled=false
    if mcp_roots_contains "$path"; then inside=true; fi
    if mcp_is_cancelled; then cancelled=true; fi
    printf '{"roots":[%s],"inside":%s,"cancelled":%s}' "$(mcp_json_escape "$(mcp_roots_list)")" "$inside" "$cancelled" ;;
esac`;

const folders = makeFolders('root', 'other');
const project = makeProject({
  shell: SHELL,
  node: { script: NODE, file: 'tool.mjs' },
  python: { script: PYTHON, file: 'tool.py' },
  echo: { script: ECHO, file: 'tool.py' },
  large: { script: LARGE, file: 'tool.mjs' },
});
const root = folders.path('root');
symlinkSync('/etc', join(root, 'out'));
symlinkSync(root, join(folders.path('other'), 'in'));

describe.each(['shell', 'node', 'python'])('the library for %s', (name) => {
  test('knows arguments, roots, progress, logs and failures', async () => {
    const env = { HOME: folders.top };
    const { client } = await connectRootward(['--project', project.path, '--root', root], {}, { env });
    const call = (args: Record<string, unknown>): Promise<Readonly<Record<string, unknown>>> =>
      client.callTool(name, args, { meta: { progressToken: 1 } });
    const inside = async (path: string): Promise<unknown> =>
      ((await call({ path }))['structuredContent'] as { inside: unknown }).inside;

    expect((await call({ path: root }))['structuredContent']).toEqual({
      roots: [root],
      inside: true,
      cancelled: false,
    });
    const told = client.received.flatMap((each) => ('method' in each ? [each.params] : []));
    expect(told).toEqual([
      { progressToken: 1, progress: 5, total: 100, message: 'five' },
      { level: 'info', logger: 'me', data: 'hello' },
    ]);
    for (const path of [
      `${root}/`,
      `${root}/not-yet`,
      `${folders.path('other')}/in/name.txt`,
      `${root}/a/..`,
      '~/root/name.txt',
    ]) {
      expect([path, await inside(path)]).toEqual([path, true]);
    }
    for (const path of [
      `${root}2`,
      `${root}/..`,
      `${root}/out/passwd`,
      `${root}/out/../x`,
      '/etc/passwd',
      '~',
      '~/other/name.txt',
      '',
    ]) {
      expect([path, await inside(path)]).toEqual([path, false]);
    }
    const found = await call({ how: 'require', path: 'name.txt' });
    expect(found['structuredContent']).toEqual({ path: join(root, 'name.txt') });
    const ofHome = await call({ how: 'require', path: '~/root/name.txt' });
    expect(ofHome['structuredContent']).toEqual({ path: join(root, 'name.txt') });
    await expect(call({ how: 'require', path: 'out/passwd' })).rejects.toMatchObject({ code: -32_602 });
    await expect(call({ how: 'fail' })).rejects.toMatchObject({
      code: -32_001,
      message: 'no luck',
      data: { k: 1 },
    });
    const error = await call({ how: 'error' });
    expect(error).toMatchObject({
      isError: true,
      structuredContent: { success: false, error: { type: 'denied', message: 'no', hint: 'ask' } },
    });
    expect(textOf(error)).toContain('denied');
  });
});

test('the library for node waits for a reader that is slower than the tool', async () => {
  const { client } = await connectRootward(['--project', project.path]);
  const answers = await Promise.all(Array.from({ length: 4 }, () => client.callTool('large')));
  for (const { structuredContent } of answers) {
    expect(structuredContent).toEqual({ terminal: false, text: 'x'.repeat(4_000_000) });
  }
});

test('the library for python answers in UTF-8 whatever the system speaks, and with any name of a file', async () => {
  const { out, err } = await runCommand(
    [
      'run-tool',
      'echo',
      '--project',
      project.path,
      '--args',
      '{"say":"é😀"}',
      '--tool-env',
      'allow:PYTHONIOENCODING',
    ],
    { env: { PYTHONIOENCODING: 'latin-1' } },
  );
  expect([err, out]).toEqual(['', 'first\n{"said":"é😀","name":"x?"}\n']);
});

test('rootward init --tools writes a project whose own tests pass, and overwrites nothing', async () => {
  const made = makeFolders();
  const first = await runCommand(['init', '--tools', join(made.top, 'new')]);
  expect(first.code).toBe(0);
  mkdirSync(join(made.top, 'bin'));
  symlinkSync(PROGRAM, join(made.top, 'bin/rootward'));
  const path = `${join(made.top, 'bin')}:${process.env['PATH']}`;
  for (const named of [{ ROOTWARD: `${process.execPath} ${PROGRAM}` }, { PATH: path }]) {
    const tests = spawn(join(made.top, 'new/test/run.sh'), {
      env: { ...process.env, ...named },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let out = '';
    tests.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
    await once(tests, 'close');
    expect(out).toBe('ok hello-node\nok hello-python\nok hello-shell\n');
  }
  const asked = await runCommand(['init', '--tools', join(made.top, 'new')]);
  expect([asked.code, asked.err]).toEqual([2, expect.stringContaining('add --yes')]);
  const second = await runCommand(['init', '--tools', join(made.top, 'new'), '--yes']);
  expect(second.code).toBe(1);
  expect(second.err).toContain('exists already');
});
