import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { runCommandLine } from '../../src/cli/program.js';

const top = realpathSync(mkdtempSync(join(tmpdir(), 'rootward-cli-')));
afterAll(() => rmSync(top, { recursive: true }));
let count = 0;

interface Outcome {
  readonly code: number | undefined;
  readonly out: string;
  readonly err: string;
}

/** An own folder that is home and working directory, with a folder `project` in it. */
function makeHome(): string {
  const home = join(top, String(count++));
  mkdirSync(join(home, 'project'), { recursive: true });
  return home;
}

async function run(
  home: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  let out = '';
  let err = '';
  const code = await runCommandLine(args, {
    out: (text) => void (out += text),
    err: (text) => void (err += text),
    interactive: true,
    around: { environment, home, directory: home, program: undefined },
  });
  return { code, out, err };
}

describe('rootward', () => {
  test('explains itself on a terminal instead of waiting in silence', async () => {
    const { code, out } = await run(makeHome(), ['project']);
    expect(code).toBe(0);
    expect(out).toContain('rootward config --client NAME');
    expect(out).toContain('1 root from flag');
  });

  test.each([
    [['--reed-only'], '--read-only'],
    [['serve', '--tolsets', 'files'], '--toolsets'],
    [['roots', '--jsn'], '--json'],
    [['--toolsets', 'fils'], '"files"'],
    [['--client-roots', 'ad'], '"add"'],
    [['--log-level', 'warning'], '"warn"'],
    [['docter'], '"doctor"'],
    [['config', '--client', 'cursr'], '"cursor"'],
  ])('%j exits with 2 and names the nearest match', async (args, match) => {
    const { code, err } = await run(makeHome(), args);
    expect(code).toBe(2);
    expect(err).toContain(match);
  });

  test.each([
    [['missing'], {}, 'missing'],
    [['--root', 'missing'], {}, 'missing'],
    [['--within', '/no/such/ceiling'], {}, '/no/such/ceiling'],
    [['--project', '/no/such/project'], {}, '/no/such/project'],
    [[], { ROOTWARD_ROOTS: '/no/such/root' }, '/no/such/root'],
    [[], { MCPBASH_ROOTS: '/no/such/root' }, '/no/such/root'],
    [[], { MCPBASH_PROJECT_ROOT: '/no/such/project' }, '/no/such/project'],
    [['--audit', '/no/such/folder/x'], {}, '/no/such/folder/x'],
    [['--config', '/no/such/file.json'], {}, '/no/such/file.json'],
  ])('%j with %j exits with 2 and names the path', async (args, environment, path) => {
    const { code, err } = await run(makeHome(), args, environment);
    expect(code).toBe(2);
    expect(err).toContain(path);
  });

  test.each([
    [['--within', '/no/such'], {}, '{}', 'given by --within'],
    [[], { ROOTWARD_WITHIN: '/no/such' }, '{"within":["/other"]}', 'given by ROOTWARD_WITHIN'],
    [[], {}, '{"within":["/no/such"]}', 'given by "within" in '],
    [[], {}, '{"within":["c.json"]}', 'it is a file (given by "within" in '],
    [['--project', '/no/such'], {}, '{}', 'given by --project'],
    [[], { ROOTWARD_PROJECT: '/no/such' }, '{}', 'given by ROOTWARD_PROJECT'],
    [[], {}, '{"project":"/no/such"}', 'given by "project" in '],
  ])('%j with %j and %s says who named the path', async (args, environment, file, origin) => {
    const home = makeHome();
    writeFileSync(join(home, 'c.json'), file);
    const { code, err } = await run(home, [...args, '--config', 'c.json'], environment);
    expect(code).toBe(2);
    expect(err).toContain(origin);
  });

  test.each(['', ',', ' , '])(
    '--toolsets %j exits with 2, since hardly any tool would be left',
    async (text) => {
      const { code, err } = await run(makeHome(), ['project', '--toolsets', text]);
      expect(code).toBe(2);
      expect(err).toContain('as --toolsets: expected workspace, files');
    },
  );

  test.each([
    [['roots', '--root'], 'Cannot use --root: its value is missing; write --root <path>', 'roots'],
    [['contains'], 'Cannot run "rootward contains": <path> is missing', 'contains'],
    [['contains', 'a', 'b'], 'it takes 1 and got 2 arguments', 'contains'],
    [['run-tool', 'a', '{"b":1}'], 'the arguments of the tool go into --args', 'run-tool'],
    [['doctor', '--nonsense'], 'Cannot use --nonsense: "rootward doctor" has no such option', 'doctor'],
    [['--nonsense'], 'Cannot use --nonsense: "rootward" has no such option', 'serve'],
  ])('%j exits with 2, says what is wrong, and where help is', async (args, message, command) => {
    const { code, out, err } = await run(makeHome(), args);
    expect(code).toBe(2);
    expect(out).toBe('');
    expect(err).toContain(`rootward: `);
    expect(err).toContain(message);
    expect(err).toContain(`See: rootward ${command} --help\n`);
  });

  test.each([
    [['roots', '--jsn'], 'usage'],
    [['roots', 'missing'], 'not-found'],
    [['contains'], 'usage'],
    [['doctor', '--config', 'missing.json'], 'configuration'],
    [['validate', 'missing.json'], 'usage'],
    [['run-tool', 'x'], 'usage'],
    [['settings', 'missing'], 'usage'],
    [['config', '--client', 'nobody'], 'usage'],
  ])('%j --json prints the error as JSON, with the same exit code', async (args, code) => {
    const home = makeHome();
    const plain = await run(home, args);
    const { out, err, ...outcome } = await run(home, [...args, '--json']);
    expect(outcome.code).toBe(2);
    expect(plain.code).toBe(2);
    expect(err).toBe('');
    const { error } = JSON.parse(out) as { error: { code: string; message: string } };
    expect(error.code).toBe(code);
    expect(plain.err).toContain(error.message);
  });

  test.each(['serve', 'roots', 'contains', 'doctor', 'validate', 'init', 'config'])(
    'help lists %s',
    async (name) => {
      const { code, out } = await run(makeHome(), ['--help']);
      expect(code).toBe(0);
      expect(out).toContain(`  ${name}`);
    },
  );
});

describe('rootward roots', () => {
  test('says which roots there are, and why', async () => {
    const { code, out } = await run(makeHome(), ['roots', 'project']);
    expect(code).toBe(0);
    expect(out).toMatch(/1 root from flag: .*project/);
  });

  test('prints JSON', async () => {
    const home = makeHome();
    const { out } = await run(home, ['roots', '--json'], { PWD: join(home, 'project') });
    expect(JSON.parse(out)).toMatchObject({
      roots: [{ path: join(home, 'project'), source: 'pwd' }],
      rejected: [],
      trace: expect.arrayContaining([expect.objectContaining({ source: 'pwd', verdict: 'used' })]),
    });
  });
});

describe('rootward contains', () => {
  test.each([
    ['project', 0],
    ['project/not-yet/there', 0],
    ['.', 1],
    ['project/..', 1],
    ['projects', 1],
    ['/', 1],
  ])('%s exits with %i', async (path, code) => {
    expect(await run(makeHome(), ['contains', path, '--root', 'project'])).toMatchObject({ code });
  });

  test.each(['project/a\nnot in scope: b', '/x\nin scope: b'])('answers %j in one line', async (path) => {
    const { out } = await run(makeHome(), ['contains', path, '--root', 'project']);
    expect(out.trimEnd().split('\n')).toHaveLength(1);
  });

  test('knows what a configuration file denies', async () => {
    const home = makeHome();
    writeFileSync(join(home, 'c.json'), JSON.stringify({ roots: ['project'], deny: ['*.pem'] }));
    expect((await run(home, ['contains', 'project/a.pem', '--config', 'c.json'])).code).toBe(1);
    expect((await run(home, ['contains', 'project/a.txt', '--config', 'c.json'])).code).toBe(0);
  });
});

describe('rootward doctor', () => {
  test('is content where there is a root', async () => {
    const home = makeHome();
    const { code, out } = await run(home, ['doctor', 'project'], { CLAUDECODE: '1' });
    expect(code).toBe(0);
    expect(out).toMatch(/^ok {2}host {2,}Claude Code/m);
    expect(out).toMatch(/^ok {2}source flag {2,}--root names/m);
    expect(out).toContain('No problems found');
  });

  test('says where decisions go, or why they cannot', async () => {
    const home = makeHome();
    const audited = (file: string) => run(home, ['doctor', 'project', '--audit', file]);
    expect(await audited('audit.jsonl')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^ok {2}audit /m),
    });
    expect(existsSync(join(home, 'audit.jsonl'))).toBe(false);
    expect(await audited('missing/x')).toMatchObject({
      code: 1,
      out: expect.stringMatching(/^!! {2}audit /m),
    });
  });

  test('exits with 1 and tells the fix for every problem', async () => {
    const home = makeHome();
    writeFileSync(join(home, 'project', '.rootward.json'), '{"roots":["/"]}');
    const { code, out } = await run(home, ['doctor', '--json', 'project'], {
      ROOTWARD_ROOT: '/x',
      // oxlint-disable-next-line no-template-curly-in-string -- as a host that does not expand it passes it on
      CLAUDE_PROJECT_DIR: '${workspaceFolder}',
    });
    expect(code).toBe(1);
    const { findings } = JSON.parse(out) as { findings: { topic: string; state: string; fix?: string }[] };
    const problems = findings.filter(({ state }) => state === 'problem');
    expect(problems.map(({ topic }) => topic)).toEqual(['environment', 'source host', 'workspace rules']);
    expect(problems.every(({ fix }) => fix !== undefined)).toBe(true);
  });

  test('finds it a problem to have no roots', async () => {
    expect(await run(makeHome(), ['doctor'])).toMatchObject({
      code: 1,
      out: expect.stringMatching(/^!! {2}roots {2,}none/m),
    });
  });
});

describe('rootward validate', () => {
  test('checks one file', async () => {
    const home = makeHome();
    writeFileSync(join(home, 'good.json'), '{"readOnly":true}');
    writeFileSync(join(home, 'bad.json'), '{"readonly":true}');
    expect(await run(home, ['validate', 'good.json'])).toMatchObject({ code: 0, out: 'fine  good.json\n' });
    expect(await run(home, ['validate', 'bad.json'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('did you mean "readOnly"?'),
    });
    expect((await run(home, ['validate', 'missing.json'])).code).toBe(2);
  });

  test('names the line and the column where a file stops being JSON', async () => {
    const home = makeHome();
    writeFileSync(join(home, 'bad.json'), '{\n  "roots": [],\n  readOnly: true\n}');
    const { code, err } = await run(home, ['validate', 'bad.json']);
    expect(code).toBe(2);
    expect(err).toContain('at line 3, column 3');
  });

  test('says of which kind a value has to be', async () => {
    const home = makeHome();
    writeFileSync(join(home, 'bad.json'), '{"http":"yes"}');
    expect((await run(home, ['validate', 'bad.json'])).err).toContain(
      '"http" is "yes", expected boolean or number',
    );
  });

  test.each([
    ['{"readOnly":"yes"}', '"readOnly" is "yes", expected boolean'],
    ['[]', 'it is [], expected object'],
    [
      '{"languageServers":{"typescript":{"comand":"x"}}}',
      '"languageServers.typescript.comand" is not known; did you mean "command"?',
    ],
    [
      '{"languageServers":{"typescript":{"args":"x"}}}',
      '"languageServers.typescript.args" is "x", expected array',
    ],
    [
      '{"languageServers":{"typescript":true}}',
      '"languageServers.typescript" is true, expected false or object',
    ],
    ['{"languageServers":{"typescript":{"folders":"shard"}}}', 'did you mean "shared"?'],
    ['{"roots":["project",1]}', '"roots.1" is 1, expected a path, or an object with a "path"'],
    ['{"roots":[{"uri":"file:///x"}]}', 'expected a path, or an object with a "path"'],
    ['{"roots":[{"path":"project","access":"none"}]}', 'an "access" of read-write or read-only'],
  ])('finds what the published schema forbids in %s', async (text, problem) => {
    const home = makeHome();
    writeFileSync(join(home, 'bad.json'), text);
    const { code, out, err } = await run(home, ['validate', 'bad.json']);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(`Cannot use ${join(home, 'bad.json')}: `);
    expect(err).toContain(problem);
  });

  test('says that a folder is no file', async () => {
    const home = makeHome();
    const { code, err } = await run(home, ['validate', 'project']);
    expect(code).toBe(2);
    expect(err).toContain('it is a folder; name the file in it');
  });

  test('prints problems as JSON', async () => {
    const home = makeHome();
    writeFileSync(join(home, 'bad.json'), '{"readonly":true}');
    for (const args of [
      ['validate', 'bad.json'],
      ['validate', '--config', 'bad.json'],
    ]) {
      const { code, out } = await run(home, [...args, '--json']);
      expect(code).toBe(2);
      expect(JSON.parse(out)).toMatchObject({
        valid: false,
        problems: [expect.stringContaining('readOnly')],
      });
    }
  });

  test.each([
    ['{"token":"not a token at all"}', 'Cannot use the token of '],
    ['{"toolEnv":"everything"}', 'Cannot use "everything" as toolEnv in '],
    ['{"within":["missing"]}', 'it does not exist (given by "within" in '],
    ['{"project":"missing"}', 'it does not exist (given by "project" in '],
    ['{"audit":"missing/audit.jsonl"}', 'its folder does not exist'],
    ['{"audit":"project"}', 'it is a folder'],
  ])('finds what keeps a server from starting in %s', async (text, problem) => {
    const home = makeHome();
    writeFileSync(join(home, 'c.json'), text);
    const { code, out } = await run(home, ['validate', '--config', 'c.json', '--json']);
    expect(code).toBe(2);
    expect(JSON.parse(out)).toMatchObject({ valid: false, problems: [expect.stringContaining(problem)] });
    const start = await run(home, ['--config', 'c.json']);
    expect(start.code).toBe(2);
    expect(start.err).toContain(problem);
  });

  test('checks everything a server here would use', async () => {
    const home = makeHome();
    writeFileSync(join(home, 'c.json'), JSON.stringify({ roots: ['project', 'missing'] }));
    const { code, err } = await run(home, ['validate', '--config', 'c.json', '--log-level', 'silent']);
    expect(code).toBe(2);
    expect(err).toContain('missing');
  });

  test('names a list of roots that cannot be read, as doctor does', async () => {
    const home = makeHome();
    const file = join(home, 'project', 'config', 'roots.json');
    mkdirSync(join(home, 'project', 'config'));
    writeFileSync(file, '{');
    const validated = await run(home, ['validate', '--project', 'project']);
    expect(validated.code).toBe(2);
    expect(validated.err).toContain(`Cannot use ${file}: it is not JSON`);
    const examined = await run(home, ['doctor', '--project', 'project']);
    expect(examined.code).toBe(1);
    expect(examined.out).toContain(`Cannot use ${file}: it is not JSON`);
  });
});

describe('rootward init', () => {
  test('writes a file that is valid and used from then on, and never replaces one', async () => {
    const home = makeHome();
    const file = join(home, '.config', 'rootward', 'rootward.json');
    expect(await run(home, ['init'])).toMatchObject({ code: 0, out: expect.stringContaining(file) });
    expect((await run(home, ['doctor', 'project'])).out).toContain(`${file} is in force`);
    writeFileSync(file, '{}');
    expect((await run(home, ['init'])).code).toBe(1);
    expect(readFileSync(file, 'utf8')).toBe('{}');
  });

  test('says what is in the way', async () => {
    const home = makeHome();
    writeFileSync(join(home, 'file'), '');
    for (const args of [
      ['init', 'file/folder'],
      ['init', '--tools', 'file/folder'],
    ]) {
      const { code, err } = await run(home, args);
      expect(code).toBe(1);
      expect(err).toMatch(/^rootward: Cannot use .*file\/folder.*: a file is where a folder should be\n$/);
    }
  });

  test('prints what it wrote and what it left alone as JSON', async () => {
    const home = makeHome();
    const file = join(home, 'project', 'rootward.json');
    const [first, second] = [
      await run(home, ['init', 'project', '--json']),
      await run(home, ['init', 'project', '--json']),
    ];
    expect([first.code, JSON.parse(first.out)]).toEqual([0, { written: [file], kept: [] }]);
    expect([second.code, JSON.parse(second.out)]).toEqual([1, { written: [], kept: [file] }]);
  });

  // Node's own way to make folders never comes back from there.
  test.runIf(existsSync('/proc/self'))('ends where no folder can be made', async () => {
    expect((await run(makeHome(), ['init', '/proc/none/here'])).code).toBe(1);
  });

  test('writes to the folder that is named', async () => {
    const home = makeHome();
    await run(home, ['init', 'project']);
    expect(existsSync(join(home, 'project', 'rootward.json'))).toBe(true);
    const { out } = await run(home, ['init', 'my project']);
    expect(out).toContain(`--config '${join(home, 'my project', 'rootward.json')}'\n`);
  });
});

async function noteOf(...args: string[]): Promise<string> {
  return (await run(makeHome(), ['config', '--client', ...args])).err;
}

describe('rootward config', () => {
  test.each([
    ['claude-code', 'mcpServers'],
    ['Claude Desktop', 'mcpServers'],
    ['vscode', 'servers'],
    ['VS Code', 'servers'],
    ['cursor', 'mcpServers'],
    ['gemini-cli', 'mcpServers'],
    ['zed', 'context_servers'],
    ['windsurf', 'mcpServers'],
    ['opencode', 'mcp'],
    ['jetbrains', 'mcpServers'],
  ])('--client %s prints JSON to paste', async (client, key) => {
    const { code, out } = await run(makeHome(), ['config', '--client', client, '/a b']);
    expect(code).toBe(0);
    const server = (JSON.parse(out) as Record<string, Record<string, unknown>>)[key]?.['rootward'];
    expect(JSON.stringify(server)).toContain('"npx"');
    expect(JSON.stringify(server)).toContain('"/a b"');
  });

  test('--client codex prints TOML, goose YAML', async () => {
    expect((await run(makeHome(), ['config', '--client', 'codex'])).out).toBe(
      '[mcp_servers.rootward]\ncommand = "npx"\nargs = ["-y", "rootward"]\n',
    );
    expect((await run(makeHome(), ['config', '--client', 'goose'])).out).toContain(
      '    args: ["-y", "rootward"]',
    );
  });

  test('--url prints how to reach a server that runs', async () => {
    const { out } = await run(makeHome(), [
      'config',
      '--client',
      'cursor',
      '--url',
      'http://h/mcp',
      '--token',
      't',
    ]);
    expect(JSON.parse(out)).toEqual({
      mcpServers: { rootward: { url: 'http://h/mcp', headers: { Authorization: 'Bearer t' } } },
    });
  });

  test('names folders so that they mean the same wherever the client starts the server', async () => {
    const home = makeHome();
    const { out } = await run(home, ['config', '--client', 'cursor', '.', '~/sub', '${workspaceFolder}']);
    expect(JSON.parse(out)).toMatchObject({
      mcpServers: { rootward: { args: ['-y', 'rootward', home, join(home, 'sub'), '${workspaceFolder}'] } },
    });
  });

  test('asks for folders only where naming them would help', async () => {
    expect(await noteOf('windsurf')).toContain('name the folders');
    expect(await noteOf('cursor')).not.toContain('name the folders');
    expect(await noteOf('windsurf', '/a')).not.toContain('name the folders');
    expect(await noteOf('windsurf', '--url', 'http://h/mcp')).not.toContain('name the folders');
  });

  test.each([
    [['--token', 'a'], '--token'],
    [['--url', 'http://h/mcp', '/folder'], '"/folder"'],
    [['--url', 'h/mcp'], '"h/mcp" as --url'],
  ])('%j exits with 2 and names what it has no use for', async (args, culprit) => {
    const { code, out, err } = await run(makeHome(), ['config', '--client', 'cursor', ...args]);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(culprit);
  });

  test('without a client exits with 2 and lists them', async () => {
    expect(await run(makeHome(), ['config'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('windsurf'),
    });
  });
});
