import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { runCommand } from '../exec/fixtures/run-command.js';
import { NEWER_THAN_BASH_3 } from '../../testing/newer-than-bash-3.js';
import { blocksIn } from '../docs/pages.js';
import { hasPseudoTerminal, openTerminal } from './fixtures/pseudo-terminal.js';
import { hasFish, hasZsh, makePlace } from './fixtures/shells.js';

const run = promisify(execFile);
const { directory: cwd, environment: env } = makePlace();
/** Colours are for people; no shell may take them for part of a name. */
const colourful = { ...env, FORCE_COLOR: '1' };
const script = (shell: string): string => join(cwd, '..', `completion.${shell}`);
const COMMANDS = [
  'serve',
  'wrap',
  'revoke',
  'roots',
  'contains',
  'doctor',
  'validate',
  'run-tool',
  'sandbox',
  'init',
  'settings',
  'config',
  'install',
  'uninstall',
  'history',
  'undo',
  'ui',
  'demo',
  'completion',
];

beforeAll(async () => {
  for (const shell of ['bash', 'zsh', 'fish']) {
    writeFileSync(script(shell), (await runCommand(['completion', shell], { env })).out);
  }
  // A folder as it may come with a clone: everything in it would leave a trace, were it run.
  const hostile = join(cwd, 'hostile');
  const trace = `touch '${join(cwd, 'trace')}'`;
  for (const [name, metadata] of [
    ['plain', { name: 'plain' }],
    ['dollar', { name: `$(${trace})` }],
    ['ticks', { name: 'ticks', description: `\`${trace}\` $(${trace})` }],
  ] as const) {
    const folder = join(hostile, 'tools', name);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'tool.meta.json'), JSON.stringify(metadata));
    writeFileSync(join(folder, 'tool.sh'), `#!/bin/sh\n${trace}\n`);
    chmodSync(join(folder, 'tool.sh'), 0o755);
  }
  writeFileSync(join(hostile, 'rootward'), `#!/bin/sh\n${trace}\n`);
  chmodSync(join(hostile, 'rootward'), 0o755);
});

/** The flags a page of help lists. */
async function flagsInHelp(command: string): Promise<readonly string[]> {
  const { out } = await runCommand([command, '--help'], { env });
  return [...out.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map((match) => match[1] ?? '').sort();
}

/** What every shell has to offer for the same words; the last one is being typed. */
const OFFERS: readonly (readonly [words: readonly string[], offers: readonly string[]])[] = [
  [['ro'], ['roots']],
  [['val'], ['validate']],
  [['help', 'ro'], ['roots']],
  [
    ['--client-roots', ''],
    ['add', 'ignore', 'replace'],
  ],
  [['doctor', '--log-level', 'd'], ['debug']],
  [['--toolsets', 'files,co'], ['files,code']],
  [['serve', '--tool-env', 'in'], ['inherit']],
  [['config', '--client', 'cu'], ['cursor']],
  [
    ['completion', ''],
    ['bash', 'fish', 'zsh'],
  ],
  [
    ['run-tool', '--project', 'my-tools', ''],
    ['hello-node', 'hello-python', 'hello-shell'],
  ],
  [['run-tool', '--project=my-tools', 'hello-s'], ['hello-shell']],
  [['run-tool', 'hello-shell', '--project', 'my-tools', 'h'], []],
  [
    ['run-tool', '--project', 'hostile', ''],
    ['plain', 'ticks'],
  ],
  [['roots', '--json', '--client-r'], ['--client-roots']],
];

describe('rootward completion bash', () => {
  // Arrays are fine, since it does not set -u.
  test.each(NEWER_THAN_BASH_3.filter(([name]) => name !== 'arrays'))(
    'does without %s, which bash 3.2 does not have',
    (_name, pattern) => {
      const lines = readFileSync(script('bash'), 'utf8').split('\n');
      expect(lines.length).toBeGreaterThan(50);
      expect(lines.filter((line) => pattern.test(line))).toEqual([]);
    },
  );

  const DRIVE = `source "$1"; shift; cd "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _rootward
[[ \${#COMPREPLY[@]} -eq 0 ]] || printf '%s\\n' "\${COMPREPLY[@]}"`;

  async function complete(words: readonly string[], directory = cwd): Promise<readonly string[]> {
    // As readline cuts them.
    const cut = words.flatMap((word) =>
      word.split(/([=:])/).filter((part, index) => part !== '' || index === 0),
    );
    const { stdout, stderr } = await run(
      'bash',
      ['--norc', '-c', DRIVE, 'bash', script('bash'), directory, 'rootward', ...cut],
      { cwd, env: colourful },
    );
    expect(stderr).toBe('');
    return stdout
      .split('\n')
      .filter((line) => line !== '')
      .sort();
  }

  test.each(OFFERS)('offers for %j: %j', async (words, offers) => {
    expect(await complete(words)).toEqual(offers);
  });

  test.each(COMMANDS)('offers the options of %s that its help lists', async (command) => {
    expect(await complete([command, '--'])).toEqual(await flagsInHelp(command));
  });

  test('offers every command, and folders, first', async () => {
    expect(await complete([''])).toEqual([...COMMANDS, 'help', 'docs', 'hostile', 'my-tools', 'src'].sort());
  });

  test('offers the part of a value that stands behind "=" or ":"', async () => {
    expect(await complete(['--client-roots=a'])).toEqual(['add']);
    expect(await complete(['--client-roots='])).toEqual(['add', 'ignore', 'replace']);
    expect(await complete(['--tool-env', 'al'])).toEqual(['allow:']);
  });

  test('offers folders where only folders fit, and files elsewhere', async () => {
    expect(await complete(['roots', 's'])).toEqual(['src']);
    expect(await complete(['--within', ''])).toEqual(['docs', 'hostile', 'my-tools', 'src']);
    expect(await complete(['validate', 'roo'])).toEqual(['rootward.json']);
    expect(await complete(['settings', '--deny', 's'])).toEqual([]);
  });

  test('runs nothing of the folder it is used in', async () => {
    expect(await complete(['run-tool', ''], join(cwd, 'hostile'))).toEqual(['plain', 'ticks']);
    expect(existsSync(join(cwd, 'trace'))).toBe(false);
  });
});

async function completeInFish(words: readonly string[]): Promise<readonly string[]> {
  const line = ['rootward', ...words].join(' ');
  const { stdout, stderr } = await run(
    'fish',
    ['--no-config', '-c', 'source $argv[1]; complete -C $argv[2]', script('fish'), line],
    { cwd, env: colourful },
  );
  expect(stderr).toBe('');
  return stdout
    .split('\n')
    .map((offer) => offer.split('\t', 1)[0] ?? '')
    .filter((offer) => offer !== '')
    .sort();
}

describe.runIf(hasPseudoTerminal)('With readline, bash', () => {
  test('completes what is typed, where words are cut too', async () => {
    const terminal = openTerminal('exec bash --norc --noprofile -i', { cwd, env: { ...env, TERM: 'dumb' } });
    // Shows the line as it is after a completion, and starts a new one.
    const show = `show() { echo "<$READLINE_LINE>"; READLINE_LINE=; }; bind -x '"\\C-t":show'`;
    terminal.type(`PS1=; source '${script('bash')}'; ${show}; echo REA''DY\n`);
    await terminal.until(/READY/);
    for (const [typed, completed] of [
      ['rootward val', 'rootward validate '],
      ['rootward --client-roots=a', 'rootward --client-roots=add '],
      ['rootward --toolsets=files,co', 'rootward --toolsets=files,code'],
      ['rootward run-tool --tool-env al', 'rootward run-tool --tool-env allow:'],
      ['rootward doctor --root=sr', 'rootward doctor --root=src/'],
      ['rootward run-tool --project=my-tools hello-s', 'rootward run-tool --project=my-tools hello-shell '],
    ] as const) {
      terminal.type(`${typed}\t\u0014`);
      await terminal.until(new RegExp(`<${completed}>`));
    }
  });
});

describe.runIf(hasFish)('rootward completion fish', () => {
  test.each(OFFERS)('offers for %j: %j', async (words, offers) => {
    expect(await completeInFish(words)).toEqual(offers);
  });

  test.each(COMMANDS)('offers the options of %s that its help lists', async (command) => {
    expect(await completeInFish([command, '--'])).toEqual(await flagsInHelp(command));
  });

  test('offers folders where only folders fit', async () => {
    expect(await completeInFish(['roots', 's'])).toEqual(['src/']);
  });

  test('runs nothing of the folder it looks at', async () => {
    await completeInFish(['run-tool', '--project', 'hostile', '']);
    expect(existsSync(join(cwd, 'trace'))).toBe(false);
  });
});

/** What the page tells to do for a shell, done in a home of its own. */
async function install(shell: string): Promise<NodeJS.ProcessEnv> {
  const block = blocksIn('sh').find(
    ({ page, code }) => page === 'docs/command-line.md' && code.includes(`completion ${shell}`),
  );
  const home = join(cwd, '..', `home-${shell}`);
  mkdirSync(home);
  const own = { ...env, HOME: home, XDG_CONFIG_HOME: join(home, '.config') };
  await run('sh', ['-ec', block?.code ?? 'exit 1'], { cwd, env: own });
  return own;
}

describe('The documentation installs completion', () => {
  test('for bash', async () => {
    const own = await install('bash');
    expect((await run('bash', ['-ic', 'complete -p rootward'], { cwd, env: own })).stdout).toContain(
      '_rootward',
    );
  });

  test.runIf(hasZsh)('for zsh', async () => {
    const own = await install('zsh');
    const { stdout } = await run('zsh', ['-ic', 'print -r -- $_comps[rootward]'], { cwd, env: own });
    expect(stdout).toBe('_rootward\n');
  });

  test.runIf(hasFish)('for fish', async () => {
    const own = await install('fish');
    expect((await run('fish', ['-c', 'complete -C "rootward ro"'], { cwd, env: own })).stdout).toMatch(
      /^roots\t/m,
    );
  });
});

describe.runIf(hasZsh)('rootward completion zsh', () => {
  test('is zsh', async () => {
    await run('zsh', ['-n', script('zsh')]);
  });

  test.runIf(hasPseudoTerminal)('completes what is typed', async () => {
    const terminal = openTerminal('exec zsh -f -i', { cwd, env: { ...colourful, SHELL: '/bin/sh' } });
    // Shows the line as it is after a completion, and starts a new one.
    const show = `show() { zle -I; print -r -- "<$BUFFER>"; BUFFER= }; zle -N show; bindkey '^T' show`;
    terminal.type(
      `PS1=; autoload -Uz compinit; compinit -u -D; source '${script('zsh')}'; ${show}; print REA''DY\n`,
    );
    await terminal.until(/READY/);
    const single = OFFERS.filter(([words, offers]) => offers.length === 1 && !words.includes('hostile'));
    expect(single.length).toBeGreaterThan(5);
    for (const [words, [offer]] of [...single, [['roots', 'sr'], ['src/']] as const]) {
      const before = ['rootward', ...words.slice(0, -1)].join(' ');
      terminal.type(`${before} ${words.at(-1) ?? ''}\t\u0014`);
      await terminal.until(new RegExp(`<${before} ${offer ?? ''}[ =,]*>`));
    }
    terminal.type(`rootward run-tool --project hostile ti\t\u0014`);
    await terminal.until(/hostile ticks >/);
    expect(existsSync(join(cwd, 'trace'))).toBe(false);
  });
});
