import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { createProgram } from '../../packages/server/dist/cli/create-program.js';
import { EXAMPLES } from '../../packages/server/dist/cli/help/examples.js';
import { PROGRAM } from '../server/fixtures/rootward.js';
import { hasFish, makePlace } from './fixtures/shells.js';

const repository = fileURLToPath(new URL('../../', import.meta.url));
const { directory, environment } = makePlace();
/** As in a clone: nothing is on PATH but what npm puts there for its scripts. */
const inScript = {
  ...environment,
  PATH: `${join(repository, 'node_modules', '.bin')}:${process.env['PATH']}`,
};
const bare = { ...environment, PATH: process.env['PATH'] };

const COMMANDS = createProgram(
  {
    out() {},
    err() {},
    interactive: false,
    start: { environment: {}, home: '/', directory: '/', program: undefined },
  },
  () => undefined,
).commands.map((command) => command.name());

interface Outcome {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

interface Surroundings {
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  readonly shell?: string;
}

/** Runs a line in a shell to its end. One that serves is told to stop once it has said all. */
function runLine(
  line: string,
  { env = bare, cwd = directory, shell = 'bash' }: Surroundings = {},
): Promise<Outcome> {
  const isSimple = !/[|<>]/.test(line);
  const child = spawn(shell, ['-c', isSimple ? `exec ${line}` : line], {
    cwd,
    env: { ...env, PWD: cwd },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
    if (out.includes('Ctrl+C')) child.kill('SIGTERM');
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  return new Promise((resolve) => {
    child.on('close', (code) => resolve({ code, out, err }));
  });
}

/** What this program prints in a clone, to a pipe. */
async function printedBy(args: string): Promise<string> {
  const { out, err } = await runLine(`node ${PROGRAM} ${args}`);
  return `${out}\n${err}`;
}

/** Every command line in a text: of this program, or of a script it wrote. */
function commandsIn(text: string): readonly string[] {
  const own = String.raw`(?:node \S*rootward\.cjs|npx rootward|\S+\/run\.sh)\b.*?`;
  const printed = new RegExp(`(?:^|: |\`| {2})((?:source <\\()?${own})(?: {2,}.*|\`.*)?$`, 'gm');
  return [...text.matchAll(printed)].map(([, command = '']) => command);
}

/** What looks like a command of a program that is on PATH. */
function bareCommandsIn(text: string): readonly string[] {
  const bareCommand = new RegExp(
    `(?<![\\w./-]|npx )rootward (?:${COMMANDS.join('|')}|help|DIR|\\.|--\\w+)(?![\\w-]).*`,
    'g',
  );
  return text.match(bareCommand) ?? [];
}

/** Runs each of them as it is printed, and says which did not end well. */
async function failuresOf(text: string, around?: Surroundings): Promise<readonly string[]> {
  const failures: string[] = [...bareCommandsIn(text)];
  for (const command of commandsIn(text)) {
    // With a store in another test; in fish only where that is installed.
    if (command.includes(' revoke --')) continue;
    const inFish = command.includes('fish');
    if (inFish && !hasFish) continue;
    const { code, out, err } = await runLine(command, { ...around, ...(inFish && { shell: 'fish' }) });
    if (code !== 0 && !/(serves MCP|page is) at/.test(out)) failures.push(`${command}: ${code} ${err}`);
  }
  return failures;
}

describe.runIf(process.platform !== 'win32')('Every command that is printed works as printed', () => {
  test('by npm start', async () => {
    const { out } = await runLine(`node ${join(repository, 'scripts/start.mjs')} --http 0`, {
      env: { ...inScript, INIT_CWD: directory },
    });
    expect(bareCommandsIn(out)).toEqual([]);
    const [command = ''] = commandsIn(out);
    const url = /at (http:\S+)/.exec(out)?.[1];
    const token = /Bearer ([\w-]+)/.exec(out)?.[1] ?? '';
    const configure = async (line: string): Promise<object> => {
      const printed = JSON.parse((await runLine(line)).out) as { servers: { rootward: object } };
      return printed.servers.rootward;
    };
    expect(await configure(command)).toMatchObject({ url, headers: { Authorization: 'Bearer TOKEN' } });
    // As the line says, which does not repeat the token.
    expect(out).toContain('put the token above in place of TOKEN:\n');
    expect(await configure(command.replace(/TOKEN$/, token))).toMatchObject({
      url,
      headers: { Authorization: `Bearer ${token}` },
    });
  });

  test.each(['', ...COMMANDS])('by the help of "%s"', async (name) => {
    const text = await printedBy(`${name} --help`);
    const own = `node ${PROGRAM}`;
    const [usage = '', ...commands] = commandsIn(text);
    expect(`Usage: ${usage}`).toBe(text.split('\n', 1)[0]);
    // As they are; what each of them does with the program on PATH is another test.
    const examples = EXAMPLES[name]!.map(({ run }) =>
      run.replace(/^(source <\()?rootward(?= |$)/, `$1${own}`),
    );
    expect(commands).toEqual([...examples, ...(name === '' ? [`${own} serve --help`] : [])]);
    expect(bareCommandsIn(text)).toEqual([]);
    const [first = ''] = name === 'demo' ? [] : commands;
    expect(await failuresOf(first)).toEqual([]);
  });

  test.each([
    ['an option it does not know', 'roots --jsn', 1],
    ['an option that is not one of the server', '--nonsense', 1],
    ['a folder that may be meant as a command', 'start', 1],
    ['a missing argument', 'contains', 1],
    ['too many arguments', 'demo x', 1],
    ['a sandbox without a command', 'sandbox', 1],
    ['a tool where there are none', 'run-tool x', 1],
    ['a change that is not there', 'history show none', 1],
    ['an undo of a change that is not there', 'undo none', 1],
    ['a client that names no folders, for config', 'config --client windsurf', 1],
    ['the same with a server', "config --client windsurf --name x -- node 'a b.js'", 1],
    ['the same for install', 'install --client windsurf --scope user --dry-run', 1],
    ['a folder after --http', '--http .', 0],
    ['nothing to wrap', 'wrap', 0],
    ['a server that cannot be started', 'doctor . -- node missing.js', 0],
    ['no client', 'install', 0],
    ['a file that is not there', 'validate missing.json', 0],
  ])('with %s', async (_, args, count) => {
    const text = await printedBy(args);
    expect(commandsIn(text)).toHaveLength(count);
    expect(await failuresOf(text)).toEqual([]);
  });

  test.each([
    'doctor',
    'doctor . --verbose',
    'validate',
    'roots',
    'settings',
    'history',
    'history prune',
    'undo --since 1h',
    'config --client cursor',
    'config --client vscode --url http://127.0.0.1:7420/mcp',
    'install --client cursor --dry-run',
    'uninstall --client cursor --dry-run',
    'sandbox . --explain',
    'run-tool --list',
  ])('by %s', async (args) => {
    expect(await failuresOf(await printedBy(args))).toEqual([]);
  });

  test('by init, and in the project it writes', async () => {
    const made = await printedBy('init --tools fresh');
    expect(commandsIn(made)).toHaveLength(3);
    const readme = readFileSync(join(directory, 'fresh', 'README.md'), 'utf8');
    const configured = await printedBy('init here');
    expect(commandsIn(configured)).toHaveLength(1);
    expect(await failuresOf(`${made}\n${configured}`)).toEqual([]);
    expect(commandsIn(readme).length).toBeGreaterThan(1);
    for (const command of commandsIn(readme)) {
      expect(() =>
        execFileSync('sh', ['-c', command], { cwd: join(directory, 'fresh'), env: bare }),
      ).not.toThrow();
    }
  });

  test.runIf(existsSync('/usr/bin/script')).each([
    ['by a server', '', 5],
    ['by a wrapped server', 'wrap -- node server.js', 2],
  ])('on a terminal, %s', async (_, args, count) => {
    const { out } = await runLine(`/usr/bin/script -qec 'node ${PROGRAM} ${args}' /dev/null`);
    const text = stripVTControlCharacters(out).replaceAll('\r', '');
    expect(commandsIn(text)).toHaveLength(count);
    const servers = text.replaceAll('doctor -- node server.js', 'doctor . --json');
    expect(await failuresOf(servers)).toEqual([]);
  });

  test('in the clone, where the path of the program is short', async () => {
    const around = { cwd: repository };
    const { err } = await runLine('node packages/server/bin/rootward.cjs roots --jsn', around);
    expect(commandsIn(err)).toEqual(['node packages/server/dist/rootward.cjs roots --help']);
    expect(await failuresOf(err, around)).toEqual([]);
  });

  test('with npx, in a project that has the package and below', async () => {
    const around = { cwd: join(repository, 'docs') };
    const { err } = await runLine('npx rootward roots --jsn', around);
    expect(commandsIn(err)).toEqual(['npx rootward roots --help']);
    expect(await failuresOf(err, around)).toEqual([]);
  });
});

/** Names of what did something, and scripts that run the program by its name where it has one. */
const NOT_PRINTED = [
  /cli\/help\/examples\.ts$/,
  /cli\/completion\/\w+\.ts$/,
  /Written by "rootward install"/,
  /tool: 'rootward (?:undo|ui)'/,
];

test('No text in the sources names a command that only works with the program on PATH', () => {
  const folders = readdirSync(join(repository, 'packages')).flatMap((name) => [
    join(repository, 'packages', name, 'src'),
    join(repository, 'packages', name, 'page'),
  ]);
  const files = folders
    .filter((folder) => existsSync(folder))
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
    )
    .filter((file) => /\.tsx?$/.test(file) && NOT_PRINTED.every((pattern) => !pattern.test(file)));
  expect(files.length).toBeGreaterThan(300);
  const found = files.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => !/^\s*(?:\/\/|\/?\*)/.test(line) && bareCommandsIn(line).length > 0)
      .filter((line) => NOT_PRINTED.every((pattern) => !pattern.test(line)))
      .map((line) => `${file}: ${line.trim()}`),
  );
  expect(found).toEqual([]);
});
