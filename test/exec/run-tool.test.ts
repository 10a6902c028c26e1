import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeFolders } from '../server/fixtures/rootward.js';
import { runCommand } from './fixtures/run-command.js';
import { makeProject } from './fixtures/tools-project.js';

const folders = makeFolders('a', 'b');
const project = makeProject({
  roots: 'mcp_roots_list',
  'example.roots.read': {
    script: `path=$(mcp_args_get .path)
if ! mcp_roots_contains "$path"; then mcp_error permission_denied "$path is outside the roots"; fi
cat "$path"`,
    meta: {
      inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
    },
  },
  path: 'mcp_require_path .path --default-to-single-root',
  slow: 'sleep 1000',
  talks: 'mcp_progress 50 half; mcp_log_info me there; echo done',
});
mkdirSync(join(project.path, 'data'));
project.write('data/sample.txt', 'sample');
const bare = makeProject({ roots: 'mcp_roots_list' });
project.write('config/roots.json', '{"roots":[{"path":"./data"},{"path":"./missing"}]}');
project.write('tools/bad/tool.meta.json', '{"name":"has blanks"}');

const run = (
  args: readonly string[],
  options?: Parameters<typeof runCommand>[1],
): ReturnType<typeof runCommand> => runCommand(['run-tool', ...args, '--project', project.path], options);

/** What makes a terminal obey, and says so to whoever reads a message. */
const TITLE = '\u001B]0;title\u0007';

test.runIf(process.platform !== 'win32')(
  'nothing a tool or a project says makes the terminal obey',
  async () => {
    const hostile = makeProject({
      shouts: `mcp_progress 50 $'\\e]0;title\\a'; mcp_log_info $'\\e]0;title\\a' x; mcp_fail -32000 $'\\e]0;title\\a'`,
    });
    hostile.write(`tools/${TITLE}/tool.meta.json`, '{');
    const at = ['--project', hostile.path];
    const outcomes = await Promise.all([
      runCommand(['run-tool', 'shouts', '--verbose', ...at]),
      runCommand(['run-tool', '--list', ...at]),
      runCommand(['run-tool', 'none', ...at]),
      runCommand(['validate', ...at]),
    ]);
    for (const { out, err } of outcomes) {
      expect(err).toContain(']0;title');
      expect(out + err).not.toMatch(/[^\P{Cc}\n]/u);
    }
  },
);

describe('rootward run-tool takes the roots', () => {
  const env = { MCPBASH_ROOTS: `data:${folders.path('b')}` };

  test('of --roots first, then of the environment, then of config/roots.json, then the project', async () => {
    const [flag, variable, config, own] = await Promise.all([
      run(['roots', '--roots', `${folders.path('a')},${folders.path('b')}`], { env }),
      run(['roots'], { env, cwd: folders.path('a') }),
      run(['roots']),
      runCommand(['run-tool', 'roots'], { cwd: bare.path }),
    ]);
    expect(flag.out).toBe(`${folders.path('a')}\n${folders.path('b')}\n`);
    expect(variable.out).toBe(`${join(project.path, 'data')}\n${folders.path('b')}\n`);
    expect(config.out).toBe(`${join(project.path, 'data')}\n`);
    expect(config.err).toContain('./missing');
    expect(own.out).toBe(`${bare.path}\n`);
  });

  test('and names the one that cannot be used, with exit code 2', async () => {
    const [flag, variable, none] = await Promise.all([
      run(['roots', '--roots', `${folders.path('a')},/no/such/a`]),
      run(['roots'], { env: { MCPBASH_ROOTS: '/no/such/b' } }),
      run(['roots', '--roots', '']),
    ]);
    expect([flag.code, variable.code, none.code]).toEqual([2, 2, 2]);
    expect(none).toMatchObject({
      out: '',
      err: expect.stringContaining('"" as --roots: it names nothing') as string,
    });
    expect(flag.err).toContain('/no/such/a');
    expect(flag.err).toContain('(given by --roots)');
    expect(variable.err).toContain('/no/such/b');
  });
});

describe('rootward run-tool', () => {
  test('reads inside the roots from the tools project, and is denied outside', async () => {
    const [inside, outside] = await Promise.all([
      run(['example.roots.read', '--args', '{"path":"./data/sample.txt"}']),
      run(['example.roots.read', '--args', '{"path":"/etc/passwd"}']),
    ]);
    expect(inside).toEqual({ code: 0, out: 'sample\n', err: expect.any(String) as string });
    expect(outside.code).toBe(1);
    expect(outside.out).toContain('permission_denied');
    expect(outside.out).not.toContain('root:');
  });

  test('takes a path relative to the project or to a root', async () => {
    const outcomes = await Promise.all(
      ['data/sample.txt', 'sample.txt', 'new.txt', '../etc', '/etc/passwd'].map((path) =>
        run(['path', '--args', JSON.stringify({ path })]),
      ),
    );
    expect(outcomes.map(({ out }) => out.trim())).toEqual([
      join(project.path, 'data/sample.txt'),
      join(project.path, 'data/sample.txt'),
      join(project.path, 'data/new.txt'),
      '',
      '',
    ]);
    expect(outcomes.map(({ code }) => code)).toEqual([0, 0, 0, 1, 1]);
  });

  test('takes arguments from a file or from stdin', async () => {
    const file = project.write('args.json', '{"path":"data/sample.txt"}');
    const [fromFile, fromStdin, none] = await Promise.all([
      run(['example.roots.read', '--args', `@${file}`]),
      run(['example.roots.read', '--args', '-'], { input: '{"path":"data/sample.txt"}' }),
      run(['path']),
    ]);
    expect([fromFile.out, fromStdin.out]).toEqual(['sample\n', 'sample\n']);
    expect(none.out.trim()).toBe(join(project.path, 'data'));
  });

  test.each([
    ['an unknown tool', ['rots'], 'rots'],
    ['arguments that do not fit', ['example.roots.read', '--args', '{"path":1}'], 'path: expected string'],
    ['arguments that are no JSON', ['roots', '--args', '{'], '{'],
    ['a timeout that is none', ['roots', '--timeout', 'soon'], 'soon'],
    ['an environment that is none', ['roots', '--tool-env', 'most'], 'most'],
  ])('exits with 2 and names %s', async (_what, args, culprit) => {
    const { code, err } = await run(args);
    expect(code).toBe(2);
    expect(err).toContain(culprit);
  });

  test('gives a tool as much time as is asked for, also when it is years', async () => {
    const { code, out, err } = await run(['talks', '--timeout', '100000000']);
    expect({ code, out }).toEqual({ code: 0, out: 'done\n' });
    expect(err).not.toContain('Warning');
  });

  test('says what would run, prints the environment, and shows what a tool says while it runs', async () => {
    const [dry, environment, verbose, slow] = await Promise.all([
      run(['example.roots.read', '--args', '{"path":"x"}', '--dry-run']),
      run(['roots', '--print-env']),
      run(['talks', '--verbose']),
      run(['slow', '--timeout', '0.2']),
    ]);
    expect(dry.out).toMatch(/tool\.sh with \{"path":"x"\} and 1 root\n$/);
    expect(environment.out).toContain(`MCP_ROOTS_PATHS=${join(project.path, 'data')}\n`);
    expect(verbose.err).toContain('[50/100] half');
    expect(verbose.err).toContain('there');
    expect(slow.code).toBe(1);
    expect(slow.out).toContain('did not finish within 0.2 s');
  });
});

test('rootward validate lists good tools, and names file and field of bad ones', async () => {
  const { code, out, err } = await runCommand(['validate', '--project', project.path]);
  expect(code).toBe(2);
  expect(out).toContain('fine  example.roots.read');
  expect(err).toContain(`${join(project.path, 'tools/bad/tool.meta.json')}: name: `);
  expect(err).toContain('run bit');
});
