import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runCommand } from '../exec/fixtures/run-command.js';
import { makeFolders, PROGRAM, startRootward } from '../server/fixtures/rootward.js';
import { hasPseudoTerminal, openTerminal } from './fixtures/pseudo-terminal.js';
import { makePlace } from './fixtures/shells.js';

const { directory: cwd, environment: env } = makePlace();
const folders = makeFolders('a');
const ESCAPE = '\u001B[';
/** Where something takes a while, the line that says so is taken back without colours. */
// oxlint-disable-next-line no-control-regex -- that is what a terminal gets
const COLOR = /\u001B\[[\d;]*m/;
/** A line that is to be copied, and is not broken. */
const COMMAND = /^(?:Usage: | {2})node \S+rootward\.cjs/;

const COMMANDS: readonly (readonly string[])[] = [
  ['--help'],
  ['roots', '--help'],
  ['roots', 'src', 'docs'],
  ['contains', 'src', '--root', '.'],
  ['contains', '/', '--root', '.'],
  ['doctor', '.'],
  ['validate', 'rootward.json'],
  ['run-tool', '--list', '--project', 'my-tools'],
  ['settings', '--jsn'],
];

describe('Output that is read by a program', () => {
  test.each(COMMANDS)('is plain: rootward %s %s', async (...args) => {
    const { out, err } = await runCommand(args, { cwd, env });
    expect(out + err).not.toBe('');
    expect(out + err).not.toContain(ESCAPE);
  });

  test.each(COMMANDS)('has colours where they are asked for: rootward %s %s', async (...args) => {
    const { out, err } = await runCommand(args, { cwd, env: { ...env, FORCE_COLOR: '1' } });
    expect(out + err).toContain(ESCAPE);
  });

  test.each([
    ['roots', '.'],
    ['contains', 'src'],
    ['doctor', '.'],
    ['validate'],
    ['settings'],
    ['settings', '--jsn'],
  ])('is JSON without colours, whatever is asked for: rootward %s %s', async (...args) => {
    const { out } = await runCommand([...args, '--json'], { cwd, env: { ...env, FORCE_COLOR: '1' } });
    expect(out).not.toContain(ESCAPE);
    expect(JSON.parse(out)).toBeTypeOf('object');
  });

  test.each(['roots', 'contains src', 'validate', 'doctor'])(
    'says what is wrong in words, and holds no lines of a log: rootward %s',
    async (command) => {
      const config = join(folders.path('a'), 'rootward.json');
      writeFileSync(config, '{"roots":[".","missing"]}');
      const { out, err } = await runCommand([...command.split(' '), '--config', config], {
        cwd,
        env: { ...env, ROOTWARD_READONLY: '1' },
      });
      expect(out + err).toContain('ROOTWARD_READONLY means nothing here; did you mean ROOTWARD_READ_ONLY?');
      expect(out + err).not.toContain('"level"');
    },
  );

  test('has no colours on the stdout of a server', async () => {
    const server = startRootward(['--root', folders.path('a')], { env: { FORCE_COLOR: '1' } });
    let out = '';
    server.input.on('data', (chunk: Buffer) => (out += String(chunk)));
    server.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
    await once(server.input, 'data');
    server.output.end();
    await server.exit;
    expect(out).toContain('"id":1');
    expect(out + server.stderr()).not.toContain(ESCAPE);
  });

  test('may be left unread', async () => {
    const child = spawn(process.execPath, [PROGRAM, 'doctor', '.'], { cwd, env });
    child.stdout.destroy();
    let err = '';
    child.stderr.on('data', (chunk: Buffer) => (err += String(chunk)));
    await once(child, 'close');
    expect(err).toBe('');
    expect(child.exitCode).toBe(0);
  });
});

describe.runIf(hasPseudoTerminal)('On a terminal', () => {
  test.each(COMMANDS)('there are colours: rootward %s %s', async (...args) => {
    const terminal = openTerminal(`rootward ${args.join(' ')}`, { cwd, env });
    await terminal.exit;
    expect(terminal.text()).toMatch(COLOR);
  });

  test.each([
    ['NO_COLOR', '1'],
    ['FORCE_COLOR', '0'],
    ['TERM', 'dumb'],
  ])('there are none with %s=%s', async (name, value) => {
    const terminal = openTerminal('rootward doctor .', { cwd, env: { ...env, [name]: value } });
    expect(await terminal.exit).toBe(0);
    expect(terminal.text()).toContain('No problems found');
    expect(terminal.text()).not.toMatch(COLOR);
  });

  test.each([50, 72, 100])(
    'text keeps to %i columns, apart from longer words, and commands that are to be copied',
    async (columns) => {
      const terminal = openTerminal('rootward doctor .; rootward serve --help', { cwd, env, columns });
      await terminal.exit;
      const lines = terminal.screen();
      expect(lines.length).toBeGreaterThan(40);
      const tooLong = lines.filter(
        (line) => line.length > columns && !COMMAND.test(line) && line.trim().split(/ +/).at(-1)!.length < 20,
      );
      expect(tooLong).toEqual([]);
    },
  );

  test('a server over HTTP says in colours where it is', async () => {
    const terminal = openTerminal('exec rootward . --http 0', { cwd, env });
    await terminal.until(/Stop it with Ctrl\+C/);
    terminal.type('\u0003');
    await terminal.exit;
    expect(terminal.text()).toContain(ESCAPE);
  });
});
