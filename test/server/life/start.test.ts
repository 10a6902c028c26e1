import { execFile, spawn } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';
import { answering, ScriptedClient } from '@rootward/mcp/testing';
import { describe, expect, test } from 'vitest';
import {
  bareEnvironment,
  connectRootward,
  makeFolders,
  PROGRAM,
  startRootward,
} from '../fixtures/rootward.js';
import { eventually } from '../../../testing/eventually.js';

const folders = makeFolders('a', 'b', 'program');
const run = promisify(execFile);

async function toolNames(args: readonly string[]): Promise<readonly string[]> {
  const { client } = await connectRootward(args);
  return ((await client.request('tools/list'))['tools'] as { name: string }[]).map(({ name }) => name);
}

/** The program that starts `program.cjs`, in a folder of its own. */
function copyLoader(name: string): string {
  const folder = join(folders.path('program'), name);
  mkdirSync(folder);
  copyFileSync(PROGRAM, join(folder, 'rootward.cjs'));
  return folder;
}

/** A large function, which is compiled when it is called. */
const SELDOM = `const seldom=()=>{let sum=1;${Array.from({ length: 500 }, (_, index) => `sum+=sum*${index};`).join('')}return sum};`;

/** A program that prints what it is, and lives until its cache has been written. */
function printing(text: string): string {
  const main = `process.stdout.write(${JSON.stringify(text)});setTimeout(()=>{},2500)`;
  return `(function(exports){exports.main=()=>{${main}}})`;
}

test('rootward says on stderr, in one line and without paths, that it is ready', async () => {
  const { server, client } = await connectRootward(['--root', folders.path('a')]);
  await client.callTool('read_text_file', { path: 'name.txt' });
  server.output.end();
  await server.exit;
  expect(server.stderr()).toMatch(
    /^rootward \d+\.\d+\.\d+ ready on stdio: 1 root from the command line, replaced by the client's where it gives any \(.*\)\n$/,
  );
  expect(server.stderr()).not.toContain(folders.top);
});

test('rootward serves where the folder it was started in is gone', async () => {
  const gone = join(folders.top, 'gone');
  mkdirSync(gone);
  const script = 'rmdir "$0" && exec "$@"';
  const args = ['-c', script, gone, process.execPath, PROGRAM, 'roots', '--json', folders.path('a')];
  const { stdout } = await run('sh', args, { cwd: gone, env: bareEnvironment() });
  expect(JSON.parse(stdout)).toMatchObject({ roots: [{ path: folders.path('a') }] });
});

test('rootward reads no configuration from the folder it was started in, also where HOME leads there', async () => {
  const settings = join(folders.path('b'), 'here', '.config', 'rootward');
  mkdirSync(settings, { recursive: true });
  writeFileSync(join(settings, 'rootward.json'), JSON.stringify({ roots: [folders.path('a')] }));
  const env = { PATH: process.env['PATH'], HOME: 'here' };
  const { stdout } = await run(process.execPath, [PROGRAM, 'roots', '--json'], {
    cwd: folders.path('b'),
    env,
  });
  expect(JSON.parse(stdout)).toHaveProperty('roots');
  expect(stdout).not.toContain(folders.path('a'));
});

test('rootward does not remember what it has parsed', async () => {
  const hook = fileURLToPath(new URL('../fixtures/count-weak-maps.cjs', import.meta.url));
  const weakMapsAfter = async (calls: number): Promise<string> => {
    const args = ['--root', folders.path('a')];
    const env = { NODE_OPTIONS: `--require ${JSON.stringify(hook)}` };
    const { server, client } = await connectRootward(args, {}, { env });
    for (let call = 0; call < calls; call++) await client.callTool('read_text_file', { path: 'name.txt' });
    server.output.end();
    await server.exit;
    return /weak maps: \d+/.exec(server.stderr())?.[0] ?? 'not counted';
  };
  const few = await weakMapsAfter(1);
  expect(few).toMatch(/\d/);
  expect(await weakMapsAfter(50)).toBe(few);
});

test('rootward names the paths of a client at debug only', async () => {
  for (const level of ['info', 'debug']) {
    const { server, client } = await connectRootward(['--root', folders.path('b'), '--log-level', level], {
      roots: answering([{ uri: folders.uri('a') }]),
    });
    await client.callTool('workspace_info');
    await eventually(() => expect(server.stderr()).toContain('client roots replace those of the operator'));
    server.output.end();
    await server.exit;
    expect(server.stderr()).not.toContain(folders.path('a'));
    expect(server.stderr().includes('client supports roots')).toBe(level === 'debug');
  }
});

test('rootward speaks of the deprecation of roots once, and at debug only', async () => {
  for (const level of ['info', 'debug']) {
    const { server, client } = await connectRootward(['--log-level', level], {
      era: 'modern',
      roots: answering([{ uri: folders.uri('a') }]),
    });
    for (let call = 0; call < 3; call++) await client.callTool('read_text_file', { path: 'name.txt' });
    server.output.end();
    await server.exit;
    expect(server.stderr().split('which deprecates them')).toHaveLength(level === 'debug' ? 2 : 1);
  }
});

test('rootward exits with 2 and names a bad root', async () => {
  const server = startRootward(['--root', '/no/such/root']);
  expect(await server.exit).toBe(2);
  expect(server.stderr()).toContain('/no/such/root');
});

test.each(['legacy', 'modern'] as const)('rootward lists its tools in 24 KB (%s)', async (era) => {
  const { client } = await connectRootward([], { era });
  expect(JSON.stringify(await client.request('tools/list')).length).toBeLessThan(24 * 1024);
});

test('rootward --toolsets and --read-only leave tools out', async () => {
  expect(await toolNames(['--toolsets', 'workspace'])).toEqual(['workspace_info', 'switch_project']);
  const safe = await toolNames(['--read-only']);
  expect(safe).toContain('read_text_file');
  expect(safe).not.toContain('write_file');
});

// A pseudo-terminal, as a person has one.
describe.runIf(existsSync('/usr/bin/script'))('on a terminal', () => {
  test('rootward explains itself and stops', async () => {
    const child = spawn('/usr/bin/script', ['-qec', `${process.execPath} ${PROGRAM}`, '/dev/null'], {
      env: { ...bareEnvironment(), PWD: folders.path('a') },
      cwd: folders.path('a'),
    });
    let text = '';
    for await (const chunk of child.stdout) text += String(chunk);
    expect(text).toContain('is an MCP server');
    expect(text).toMatch(/rootward(?:\.cjs)? config --client cursor/);
  });
});

/** What `npm start` prints, called from a folder. */
async function npmStart(from: string, args: readonly string[] = []): Promise<string> {
  const repository = fileURLToPath(new URL('../../../', import.meta.url));
  const manifest = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
    scripts: { start: string };
  };
  // Without a shell, as nothing in it may depend on one.
  const [command, ...script] = manifest.scripts.start.split(' ');
  expect(command).toBe('node');
  const child = spawn(process.execPath, [...script, ...args, '--http', '0'], {
    cwd: repository,
    // As npm sets them.
    env: { ...bareEnvironment(), INIT_CWD: from, PWD: repository },
  });
  let text = '';
  for await (const chunk of child.stdout) {
    text += String(chunk);
    if (text.includes('Ctrl+C')) break;
  }
  child.kill('SIGTERM');
  return text;
}

/** A file with a token. */
function tokenFile(): string {
  const file = join(folders.path('b'), 'tokens');
  writeFileSync(file, `${'t'.repeat(40)}\n`, { mode: 0o600 });
  return file;
}

describe('npm start', () => {
  test('serves the folder it was called from, and says how to connect and how to stop', async () => {
    const text = await npmStart(folders.path('b'), ['--read-only']);
    expect(text).toContain(`1 root from the command line: ${folders.path('b')}`);
    expect(text).not.toContain('Rejected');
    // What matters first: the address, then what to paste.
    expect(text).toMatch(/^rootward .* serves MCP at \S+\nPaste this into .*\n\n\{\n {2}"mcpServers"/);
    expect(text).not.toContain('What each source says');
    expect(await npmStart(folders.path('b'), ['--verbose'])).toContain('What each source says');
  });

  test.each([
    ['an audit file that is there', () => ['--audit', join(folders.path('b'), 'name.txt')]],
    ['a toolset that has the name of a folder', () => ['--toolsets=files']],
    ['a file of tokens', () => ['--token-file', tokenFile()]],
  ])('serves the folder it was called from also with %s', async (_, args) => {
    mkdirSync(join(folders.path('b'), 'files'), { recursive: true });
    expect(await npmStart(folders.path('b'), args())).toContain(
      `1 root from the command line: ${folders.path('b')}\n`,
    );
  });

  test('says what to do where nothing is installed yet', async () => {
    const clone = join(folders.top, 'clone', 'scripts');
    mkdirSync(clone, { recursive: true });
    copyFileSync(new URL('../../../scripts/start.mjs', import.meta.url), join(clone, 'start.mjs'));
    await expect(run(process.execPath, [join(clone, 'start.mjs')])).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^Cannot start: .*; run "npm install" in .*clone\/ first\n$/),
    });
  });

  test.each([
    ['a folder', () => [folders.path('a')]],
    ['a folder relative to where it was called', () => ['../a']],
    ['--root', () => [`--root=${folders.path('a')}`]],
  ])('serves what is named by %s instead', async (_, args) => {
    expect(await npmStart(folders.path('b'), args())).toContain(
      `1 root from the command line: ${folders.path('a')}\n`,
    );
  });
});

test('the program has no path of the machine that built it', () => {
  const text = readFileSync(join(dirname(PROGRAM), 'program.cjs'), 'utf8');
  expect(text).not.toContain(fileURLToPath(new URL('../../..', import.meta.url)));
});

// Each waits for seconds until its program is kept, in a folder of its own.
describe.concurrent('the compiled program', () => {
  test('is kept for the next start, and never mistaken for that of another of the same length', async () => {
    const folder = copyLoader('x');
    writeFileSync(join(folder, 'program.cjs'), printing('one'));
    expect((await run(process.execPath, [join(folder, 'rootward.cjs')])).stdout).toBe('one');
    expect(readdirSync(folder).filter((name) => name.endsWith('.cache'))).toHaveLength(1);
    writeFileSync(join(folder, 'program.cjs'), printing('two'));
    expect((await run(process.execPath, [join(folder, 'rootward.cjs')])).stdout).toBe('two');
  });

  test('is never mistaken for that of another build whose file has the same length and time', async () => {
    const folder = copyLoader('installed');
    const [loader, program] = [join(folder, 'rootward.cjs'), join(folder, 'program.cjs')];
    const install = (text: string): void => {
      writeFileSync(program, printing(text));
      // As installers do, which give all files one time.
      utimesSync(program, 0, 0);
    };
    install('one');
    expect((await run(process.execPath, [loader])).stdout).toBe('one');
    install('two');
    const build = readFileSync(loader, 'utf8');
    const next = build.replace(/(?<=const BUILT = ')[0-9a-f]{32}(?=')/, 'f'.repeat(32));
    expect(next).not.toBe(build);
    writeFileSync(loader, next);
    expect((await run(process.execPath, [loader])).stdout).toBe('two');
  });

  test('is kept by a command that is over at once, until a process that ran more of it replaces it', async () => {
    const folder = copyLoader('short');
    const loader = join(folder, 'rootward.cjs');
    const text = readFileSync(loader, 'utf8');
    expect(text).toContain('AGAIN_AFTER_MS = 30_000');
    writeFileSync(loader, text.replace('AGAIN_AFTER_MS = 30_000', 'AGAIN_AFTER_MS = 400'));
    const main = `${SELDOM}if(process.argv[2]==='long'){seldom();setTimeout(()=>{},1000)}`;
    writeFileSync(join(folder, 'program.cjs'), `(function(exports){exports.main=()=>{${main}}})`);
    const kept = (): { readonly size: number; readonly ino: number } => {
      const [name = '', ...others] = readdirSync(folder).filter((each) => each.endsWith('.cache'));
      expect(others).toEqual([]);
      const { size, ino } = statSync(join(folder, name));
      return { size, ino };
    };
    await run(process.execPath, [loader]);
    const short = kept();
    await run(process.execPath, [loader, 'long']);
    const long = kept();
    expect(long.size).toBeGreaterThan(short.size);
    for (const argument of ['short', 'long']) await run(process.execPath, [loader, argument]);
    expect(kept()).toEqual(long);
  });

  test('is kept apart from that made with other flags of the engine', async () => {
    const folder = copyLoader('z');
    writeFileSync(join(folder, 'program.cjs'), printing('one'));
    await run(process.execPath, [join(folder, 'rootward.cjs')]);
    await run(process.execPath, ['--expose-gc', join(folder, 'rootward.cjs')]);
    expect(readdirSync(folder).filter((name) => name.endsWith('.cache'))).toHaveLength(2);
  });

  test('runs with a cache that is broken', async () => {
    const folder = copyLoader('y');
    writeFileSync(join(folder, 'program.cjs'), printing('one'));
    await run(process.execPath, [join(folder, 'rootward.cjs')]);
    const cache = readdirSync(folder).find((name) => name.endsWith('.cache')) ?? '';
    writeFileSync(join(folder, cache), 'nonsense');
    expect((await run(process.execPath, [join(folder, 'rootward.cjs')])).stdout).toBe('one');
  });
});

test('a client may come and go without a word', async () => {
  const server = startRootward([]);
  const client = new ScriptedClient(server);
  server.output.end();
  expect(await server.exit).toBe(0);
  expect(client.received).toEqual([]);
});
