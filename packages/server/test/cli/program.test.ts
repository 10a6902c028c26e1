import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeHomes, run } from '../fixtures/command-line.js';

const makeHome = makeHomes();

test.each(['-v', '-V', '--version'])('rootward %s prints the version', async (flag) => {
  expect(await run(makeHome(), [flag])).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
  });
});

describe('rootward', () => {
  test('explains itself on a terminal instead of waiting in silence', async () => {
    const { code, out } = await run(makeHome(), ['project']);
    expect(code).toBe(0);
    expect(out).toContain('rootward config --client cursor');
    expect(out).toContain('1 root from the command line');
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
    [
      ['start'],
      '"start" as a root: it does not exist (given by an argument); the commands are listed by: npx -y rootward --help',
    ],
    [['sandbox', '.', '--level', 'off', '--', 'nosuch'], 'Cannot run "nosuch": no folder of PATH has it'],
  ])('%j exits with 2 and says: %s', async (args, message) => {
    const { code, err } = await run(makeHome(), args);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
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
    [['contains'], 'Cannot run "contains": <path> is missing', 'contains'],
    [['contains', 'a', 'b'], 'it takes 1 and got 2 arguments', 'contains'],
    [['demo', 'x'], 'Cannot run "demo": it takes no arguments', 'demo'],
    [['run-tool', 'a', '{"b":1}'], 'the arguments of the tool go into --args', 'run-tool'],
    [['doctor', '--nonsense'], 'Cannot use --nonsense: "doctor" has no such option', 'doctor'],
    [['--nonsense'], 'Cannot use --nonsense: "serve" has no such option', 'serve'],
    [['roots', '--jsn'], 'Cannot use --jsn: "roots" has no such option; did you mean --json?', 'roots'],
    [['--read-only=no'], 'Cannot use --read-only with a value: it takes none', 'serve'],
  ])('%j exits with 2, says what is wrong, and where help is', async (args, message, command) => {
    const { code, out, err } = await run(makeHome(), args);
    expect(code).toBe(2);
    expect(out).toBe('');
    expect(err).toContain(`rootward: `);
    expect(err).toContain(message);
    expect(err).toContain(`See: npx -y rootward ${command} --help\n`);
  });

  test('a mistyped --token is recognised, and its value not shown', async () => {
    const { code, err } = await run(makeHome(), ['--tokn=a-token-for-tests-1']);
    expect(code).toBe(2);
    expect(err).toContain('Cannot use --tokn: "serve" has no such option; did you mean --token?\n');
    expect(err).not.toContain('a-token-for-tests-1');
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
