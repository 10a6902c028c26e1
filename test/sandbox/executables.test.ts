import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { findBackends } from '@rootward/sandbox';
import { answering, type ScriptedClientOptions } from '@rootward/mcp/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectRootward, startRootward, textOf } from '../server/fixtures/rootward.js';
import { eventually } from '../../testing/eventually.js';

const working = new Set(
  (await findBackends()).flatMap(({ name, backend }) => (backend === undefined ? [] : [name])),
);
const listener = createServer((socket) => socket.destroy());

let base: string;
let port: number;

/** Runs what it is told, and prints what came of it. */
const TOOL = `#!/bin/bash
. "$MCP_SDK/tool-sdk.sh"
mcp_progress 50 "half"
exec bash -c "$(mcp_args_get .script)" 2>&1
`;

beforeAll(async () => {
  // Not below /tmp, which is private in some sandboxes.
  base = realpathSync(mkdtempSync('/var/tmp/rootward-exec-'));
  for (const name of ['one', 'two', 'out', 'project/tools/run', 'project/tools/wish']) {
    mkdirSync(join(base, name), { recursive: true });
  }
  for (const name of ['one', 'two', 'out']) writeFileSync(join(base, name, 'name.txt'), `content of ${name}`);
  const inputSchema = { type: 'object', properties: { script: { type: 'string' } } };
  const tools = {
    run: {},
    wish: { sandbox: { network: true, read: [join(base, 'out')] } },
  };
  for (const [name, more] of Object.entries(tools)) {
    const folder = join(base, 'project/tools', name);
    writeFileSync(
      join(folder, 'tool.meta.json'),
      JSON.stringify({ name, description: name, inputSchema, timeoutSecs: 600, ...more }),
    );
    writeFileSync(join(folder, 'tool.sh'), TOOL, { mode: 0o755 });
  }
  await new Promise<void>((resolve) => {
    listener.listen(0, '127.0.0.1', resolve);
  });
  ({ port } = listener.address() as AddressInfo);
});

afterAll(() => {
  listener.close();
  rmSync(base, { recursive: true, force: true });
});

type Call = (script: string, tool?: string) => Promise<string>;

async function connect(
  args: readonly string[],
  roots: ScriptedClientOptions['roots'] = named('one'),
  env: NodeJS.ProcessEnv = {},
): Promise<{ readonly call: Call; readonly client: Awaited<ReturnType<typeof connectRootward>>['client'] }> {
  const { client } = await connectRootward(['--project', join(base, 'project'), ...args], { roots }, { env });
  return { client, call: async (script, tool = 'run') => textOf(await client.callTool(tool, { script })) };
}

function named(...names: readonly string[]): NonNullable<ScriptedClientOptions['roots']> {
  return answering(names.map((name) => ({ uri: pathToFileURL(join(base, name)).href })));
}

function config(name: string, content: unknown): readonly string[] {
  const file = join(base, `${name}.json`);
  writeFileSync(file, JSON.stringify(content));
  return ['--config', file];
}

const out = (): string => join(base, 'out/name.txt');
const connectScript = (): string => `exec 9<>/dev/tcp/127.0.0.1/${port} && echo connected`;

test('an executable runs without a sandbox by default', async () => {
  const { call } = await connect([]);
  const said = await call(`cat ${out()}; echo; ${connectScript()}`);
  expect(said).toContain('content of out');
  expect(said).toContain('connected');
});

describe.each(['bubblewrap', 'landlock'] as const)('An executable at level strict with %s', (backend) => {
  const STRICT = ['--sandbox', 'strict', '--sandbox-backend', backend] as const;

  test.skipIf(!working.has(backend))('reads and writes the roots, and reaches nothing else', async () => {
    const { call } = await connect(STRICT);
    expect(await call(`cat ${join(base, 'one/name.txt')}`)).toContain('content of one');
    expect(await call(`echo made > ${join(base, 'one/made.txt')}; echo done`)).toContain('done');
    expect(readFileSync(join(base, 'one/made.txt'), 'utf8')).toBe('made\n');
    expect(await call(`cat ${out()}`)).not.toContain('content of out');
    expect(await call(connectScript())).not.toContain('connected');
    expect(await call(`echo x > ${join(base, 'project/tools/run/tool.sh')}; echo done`)).toContain('done');
    expect(readFileSync(join(base, 'project/tools/run/tool.sh'), 'utf8')).toBe(TOOL);
  });

  test.skipIf(!working.has(backend))(
    'has a home and a temporary folder of its own, removed with it',
    async () => {
      const { call } = await connect(STRICT);
      const [home = '', temp = ''] = (await call('echo $HOME; echo $TMPDIR; touch ~/x $TMPDIR/y'))
        .trim()
        .split('\n');
      for (const folder of [home, temp]) {
        expect(folder).toContain('rootward-sandbox-');
        await eventually(() => expect(existsSync(folder)).toBe(false));
      }
    },
  );

  test.skipIf(!working.has(backend))('is named in workspace_info while it runs', async () => {
    const { client, call } = await connect(STRICT);
    const go = join(base, 'one/go');
    rmSync(go, { force: true });
    const ended = call(`until [ -e ${go} ]; do sleep 0.05; done; echo done`);
    const line = `Executable run: running, sandbox strict, ${backend}`;
    const info = async (): Promise<string> => textOf(await client.callTool('workspace_info'));
    await eventually(async () => expect(await info()).toContain(line));
    writeFileSync(go, '');
    expect(await ended).toContain('done');
    expect(await info()).not.toContain(line);
  });

  test.skipIf(!working.has(backend))('tells its progress', async () => {
    const { client } = await connect(STRICT);
    await client.callTool('run', { script: 'true' }, { meta: { progressToken: 7 } });
    const told = client.received.filter((message) => 'method' in message);
    expect(told).toContainEqual(
      expect.objectContaining({
        method: 'notifications/progress',
        params: { progressToken: 7, progress: 50, total: 100, message: 'half' },
      }),
    );
  });

  test.skipIf(!working.has(backend))('sees a root that comes, and no longer one that has gone', async () => {
    const { call, client } = await connect(STRICT);
    const both = `cat ${join(base, 'one/name.txt')} ${join(base, 'two/name.txt')}`;
    expect(await call(both)).not.toContain('content of two');
    client.changeRoots(named('two'));
    await eventually(async () => {
      // It starts in the first root that the session was told of.
      await client.callTool('workspace_info');
      expect(await call(both)).toContain('content of two');
    });
    expect(await call(both)).not.toContain('content of one');
  });

  test.skipIf(!working.has(backend))('gets of its wishes what the operator allows', async () => {
    const script = `cat ${out()}; ${connectScript()}`;
    const { call } = await connect(STRICT);
    const refused = await call(script, 'wish');
    expect(refused).not.toContain('content of out');
    expect(refused).not.toContain('connected');
    const allow = { network: true, read: [join(base, 'out')] };
    const allowed = await connect([...STRICT, ...config(`allow-${backend}`, { sandbox: { allow } })]);
    const granted = await allowed.call(script, 'wish');
    expect(granted).toContain('content of out');
    expect(granted).toContain('connected');
    expect(await allowed.call(script)).not.toContain('content of out');
  });

  test.skipIf(!working.has(backend))('is asked to end before it is killed', async () => {
    const mark = join(base, 'one/ended');
    rmSync(mark, { force: true });
    const { client } = await connect(STRICT);
    const ready = join(base, 'one/ready');
    rmSync(ready, { force: true });
    const script = `trap 'echo x > ${mark}; exit' TERM; echo x > ${ready}; while :; do sleep 0.05; done`;
    const enough = new AbortController();
    const call = client.callTool('run', { script }, { signal: enough.signal });
    await eventually(() => expect(existsSync(ready)).toBe(true));
    enough.abort(new Error('enough'));
    await expect(call).rejects.toThrow('enough');
    await eventually(() => expect(existsSync(mark)).toBe(true));
  });
});

test.skipIf(!working.has('bubblewrap'))('a denied file is hidden with bubblewrap', async () => {
  writeFileSync(join(base, 'two/secret.key'), 'very secret');
  const { call } = await connect(
    ['--sandbox', 'strict', ...config('deny', { deny: ['*.key'] })],
    named('two'),
  );
  expect(await call(`cat ${join(base, 'two/secret.key')}`)).toContain('Permission denied');
  // Its name stays, its size, mode and times do not.
  expect(await call(`cd ${join(base, 'two')}; stat -c '%n %s %a' *.key`)).toContain('secret.key 0 0');
  expect(await call(`cat ${join(base, 'two/name.txt')}`)).toContain('content of two');
});

test.skipIf(!working.has('landlock'))(
  'a denied file keeps an executable from running with Landlock',
  async () => {
    writeFileSync(join(base, 'two/secret.key'), 'very secret');
    const { call } = await connect(
      ['--sandbox', 'strict', '--sandbox-backend', 'landlock', ...config('deny', { deny: ['*.key'] })],
      named('two'),
    );
    expect(await call('echo ran')).toMatch(
      /Cannot run run: .*a rule denies .*secret\.key.* needs guarantee full/,
    );
  },
);

test.for(['bubblewrap', 'landlock'] as const)(
  'the answer and workspace_info say what Landlock forbids beside something protected, with %s',
  async (backend, { skip }) => {
    skip(!working.has(backend), `${backend} does not work here`);
    const root = join(base, `guarded-${backend}`);
    mkdirSync(root);
    writeFileSync(join(root, '.mcp.json'), '{}');
    const { client, call } = await connect(
      ['--sandbox', 'strict', '--sandbox-backend', backend],
      named(`guarded-${backend}`),
    );
    const note = `With Landlock nothing can be made, renamed or removed directly in ${JSON.stringify(root)}, because something protected is there`;
    const isSaid = backend === 'landlock';
    writeFileSync(join(root, 'go'), '');
    const ended = call(`until [ -s ${root}/go ]; do sleep 0.05; done; touch ${root}/new && echo made`);
    const info = async (): Promise<string> => textOf(await client.callTool('workspace_info'));
    await eventually(async () => expect(await info()).toContain('Executable run: running'));
    expect((await info()).includes(note)).toBe(isSaid);
    writeFileSync(join(root, 'go'), 'x');
    const said = await ended;
    expect([said.includes(`[${note}]`), said.includes('made\n')]).toEqual([isSaid, !isSaid]);
  },
);

test.skipIf(!working.has('bubblewrap'))('nothing outlives the call with bubblewrap', async () => {
  const { call } = await connect(['--sandbox', 'strict']);
  const alive = join(base, 'one/alive');
  await call(
    `setsid bash -c 'while :; do date +%N > ${alive}; sleep 0.02; done' >/dev/null 2>&1 & echo x > ${alive}`,
  );
  const marked = `${alive}.gone`;
  await eventually(() => {
    writeFileSync(marked, readFileSync(alive));
    expect(processesNaming(alive)).toEqual([]);
  });
});

function processesNaming(text: string): readonly string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text);
    } catch {
      return false;
    }
  });
}

describe('A level that cannot be provided', () => {
  const hidden = { ROOTWARD_SANDBOX_BACKENDS: 'none' };

  test.each([
    [['--sandbox', 'strict'], 'level strict'],
    [['--sandbox', 'write'], 'level write'],
    [['--sandbox', 'strict', '--sandbox-require', 'full'], 'guarantee full'],
  ])('stops the start with the reason: %j', async (args, reason) => {
    const server = startRootward([...args, '--root', tmpdir()], { env: hidden });
    expect(await server.exit).toBe(2);
    expect(server.stderr()).toContain(
      `Cannot provide the sandbox ${reason === 'guarantee full' ? 'level strict with ' : ''}${reason}`,
    );
  });

  const isInstalled = process.platform !== 'linux' || working.has('bubblewrap');

  test.skipIf(isInstalled)('of one backend is told with what to install', async () => {
    const server = startRootward([
      '--sandbox',
      'strict',
      '--sandbox-backend',
      'bubblewrap',
      '--root',
      tmpdir(),
    ]);
    await server.exit;
    expect(server.stderr()).toContain('apt-get install bubblewrap');
  });

  test('is off with auto', async () => {
    const { call } = await connect(['--sandbox', 'auto'], named('one'), hidden);
    expect(await call(`cat ${out()}`)).toContain('content of out');
  });

  test.each([
    [['--sandbox', 'auto'], true],
    [[], false],
  ])('is said in one line where auto was asked for: %j', async (args, isSaid) => {
    const server = startRootward([...args, '--root', tmpdir()], { env: hidden });
    await eventually(() => expect(server.stderr()).toContain('ready on stdio'));
    expect(server.stderr().match(/no sandbox works here/g) ?? []).toHaveLength(isSaid ? 1 : 0);
  });
});

test.skipIf(working.size === 0)('each run in a sandbox is in the audit file', async () => {
  const audit = join(base, 'audit.jsonl');
  const { call } = await connect(['--sandbox', 'auto', '--audit', audit]);
  await call('echo x');
  const lines = readFileSync(audit, 'utf8');
  expect(lines).toMatch(/"tool":"run".*"decision":"allowed","reason":"sandbox strict, /);
});
