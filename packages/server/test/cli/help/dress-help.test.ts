import { describe, expect, test } from 'vitest';
import { createProgram } from '../../../src/cli/create-program.js';
import { asTyped, EXAMPLES } from '../../../src/cli/help/examples.js';
import { runCommandLine } from '../../../src/cli/program.js';
import type { Display } from '../../../src/cli/output/display.js';

const start = { environment: {}, home: '/', directory: '/', program: undefined };

async function help(
  args: readonly string[],
  display: Partial<Display> = {},
): Promise<{ readonly code: number | undefined; readonly text: string }> {
  let text = '';
  const write = (chunk: string): void => void (text += chunk);
  const shown: Display = { columns: undefined, colors: false, live: false, ...display };
  const code = await runCommandLine(args, {
    out: write,
    err: write,
    interactive: false,
    start,
    display: () => shown,
  });
  return { code, text };
}

const COMMANDS = createProgram(
  { out() {}, err() {}, interactive: false, start },
  () => undefined,
).commands.map((command) => command.name());

describe('Help', () => {
  test('has examples for the program and for every command, and for nothing else', () => {
    expect(Object.keys(EXAMPLES).sort()).toEqual(['', ...COMMANDS].sort());
  });

  test.each([[], ...COMMANDS.map((name) => [name])])(
    'of "rootward %s" shows its examples',
    async (...name) => {
      const { code, text } = await help([...name.filter((word) => word !== undefined), '--help'], {
        columns: 100,
      });
      expect(code).toBe(0);
      const words = text.replaceAll(/\s+/g, ' ');
      for (const { run, does } of EXAMPLES[name[0] ?? '']!) {
        expect(text).toContain(asTyped(run, 'npx -y rootward'));
        expect(words).toContain(does);
      }
    },
  );

  test.each([
    ['history', '--root', ['--ui', '--chdir', '--http', '--sandbox', '--log-level', '--read-only']],
    ['undo', '--read-only', ['--ui', '--chdir', '--http', '--sandbox', '--log-level']],
    ['doctor', '--sandbox', ['--ui', '--chdir', '--limits', '--toolsets', '--telemetry-paths']],
    ['doctor', '--store', []],
    ['wrap', '--http', ['--register-hook', '--download-hosts', '--chdir', '--project']],
    ['sandbox', '--level', ['--sandbox', '--http']],
    ['roots', '--within', ['--ui', '--http', '--sandbox']],
  ])('of %s shows %s, and nothing that decides nothing there', async (name, shown, others) => {
    const { text } = await help([name, '--help']);
    expect(text).toMatch(new RegExp(`^ {2}${shown} `, 'm'));
    for (const other of others) expect(text).not.toMatch(new RegExp(`^ {2}${other}(?: |$)`, 'm'));
  });

  test.each(COMMANDS)('of %s keeps to the display, and descriptions below each other', async (name) => {
    for (const columns of [60, 80, 100]) {
      const { text } = await help([name, '--help'], { columns });
      const lines = text.split('\n');
      const tooLong = lines.filter(
        (line) => line.length > columns && !/^(?: {2}|Usage: )(?:source <\()?npx -y rootward/.test(line),
      );
      expect(tooLong).toEqual([]);
      const options = lines
        .slice(0, lines.indexOf('Examples:'))
        .map((line) => /^ {2}-\S.*?( {2,})\S/.exec(line));
      expect(new Set(options.filter((match) => match !== null).map(([head]) => head.length)).size).toBe(1);
    }
  });

  test('is no wider than is good to read', async () => {
    const { text } = await help(['--help'], { columns: 300 });
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100);
  });

  test('has colours on a display that has, and only there', async () => {
    expect((await help(['--help'], { colors: true })).text).toContain('\u001B[');
    expect((await help(['--help'])).text).not.toContain('\u001B[');
  });

  test('names the twin of an option in the environment, where it has one', async () => {
    expect((await help(['serve', '--help'])).text).toContain('[ROOTWARD_LOG_LEVEL]');
    // That of a server that runs elsewhere.
    expect((await help(['config', '--help'])).text).not.toContain('ROOTWARD_TOKEN');
  });

  test('about what is no command names the nearest', async () => {
    expect(await help(['help', 'rots'])).toEqual({
      code: 2,
      text: 'rootward: Cannot help with "rots": it is not a command; did you mean "roots"?\n',
    });
  });
});
