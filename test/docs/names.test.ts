import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runCommandLine } from '../../packages/server/dist/cli/program.js';
import { OPTIONS } from '../../packages/server/dist/settings/values/options.js';
import { toolsets } from '../../packages/server/dist/tools/toolsets.js';
import { PAGES, repository } from './pages.js';

/** Flags of other programs that the pages speak of, by owner. */
const FOREIGN_FLAGS: Readonly<Record<string, readonly string[]>> = {
  serena: ['--project-from-cwd'],
  'npm run tables': ['--check'],
  'wrapped servers': ['--repository', '--workspace'],
  'Claude Code': ['--add-dir'],
  git: ['--follow-tags'],
  'VS Code': ['--add-mcp'],
  Serena: ['--project-from-cwd'],
  npm: ['--workspaces', '--access', '--global'],
  'redis-server': ['--bind', '--dir', '--appendonly'],
  curl: ['--silent', '--retry', '--retry-connrefused'],
  'the release': ['--schema'],
  'the comparison': ['--mcp-bash'],
  'the benches': ['--write'],
  'the helpers of tools': [
    '--default-to-single-root',
    '--allow-empty',
    '--default',
    '--min',
    '--max',
    '--hint',
    '--data',
    ...'--path --mime --uri --env --file --example --defaults --pattern --extract --total --stdout --stderr-file --progress-file --interval --quiet --url --out --allow --max-bytes --user-agent --array-path --title --field --submit-tool --columns'.split(
      ' ',
    ),
  ],
};

/** The help of the program and of every command in it. */
async function help(): Promise<{ readonly text: string; readonly commands: ReadonlySet<string> }> {
  let text = '';
  const out = (chunk: string): void => {
    text += chunk;
  };
  const start = { environment: {}, home: '/', directory: '/', program: undefined };
  await runCommandLine(['--help'], { out, err: out, interactive: false, start });
  const listed = text.slice(text.indexOf('Commands:'));
  const commands = new Set([...listed.matchAll(/^ {2}([a-z][\w-]*)/gm)].map((match) => match[1] ?? ''));
  for (const command of commands) {
    await runCommandLine([command, '--help'], { out, err: out, interactive: false, start });
  }
  return { text, commands };
}

const { text: HELP, commands: COMMANDS } = await help();
const FLAGS: ReadonlySet<string> = new Set([
  ...[...HELP.matchAll(/--[a-z][a-z-]*[a-z]/g)].map(([flag]) => flag),
  ...Object.values(FOREIGN_FLAGS).flat(),
]);

function sourcesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(ts|mjs|cjs|sh|py|json)$/.test(name))
    .map((name) => readFileSync(join(folder, name), 'utf8'));
}

/** Every word of the code that is shipped, and of the scripts that a guide may name. */
const WORDS: ReadonlySet<string> = new Set(
  readdirSync(join(repository, 'packages'))
    .flatMap((name) => ['src', 'sdk', 'scripts'].map((part) => join(repository, 'packages', name, part)))
    .concat(join(repository, 'scripts'))
    .filter((folder) => existsSync(folder))
    .flatMap(sourcesBelow)
    .flatMap((source) => source.match(/\w+/g) ?? []),
);

const { scripts } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};

/** What stands between backticks on one line. */
function quoted(text: string): readonly string[] {
  return [...text.matchAll(/`([^`\n]+)`/g)].map((match) => match[1] ?? '');
}

function all(text: string, pattern: RegExp): readonly string[] {
  return [...text.matchAll(pattern)].map((match) => match[1] ?? match[0]);
}

describe('What the documentation names exists', () => {
  test('and what it could name is known', () => {
    expect([...COMMANDS]).toEqual(expect.arrayContaining(['serve', 'roots', 'doctor']));
    expect([...FLAGS]).toEqual(expect.arrayContaining(OPTIONS.map(({ flag }) => flag.split(' ')[0])));
    expect(WORDS.size).toBeGreaterThan(1000);
  });

  test.each(PAGES)('flags: $name', ({ text }) => {
    const named = all(text, /(?<![\w-])--[a-z][a-z-]*[a-z]/g);
    expect(named.filter((flag) => !FLAGS.has(flag))).toEqual([]);
  });

  test.each(PAGES)('commands: $name', ({ text }) => {
    const named = [
      ...all(text, /\bnpx (?:-y )?rootward ([a-z][\w-]*)/g),
      ...quoted(text).flatMap((code) => all(code, /^rootward ([a-z][\w-]*)/g)),
    ];
    expect(named.filter((command) => !COMMANDS.has(command))).toEqual([]);
  });

  test.each(PAGES)('tools, variables and other names: $name', ({ text }) => {
    const tools = new Set(Object.values(toolsets).flatMap((set) => set.map(({ name }) => name)));
    const named = quoted(text).filter((name) => /^[a-zA-Z]+(_[a-zA-Z]+)+$/.test(name));
    expect(named.filter((name) => !tools.has(name) && !WORDS.has(name))).toEqual([]);
  });

  test.each(PAGES)('files of this repository: $name', ({ text }) => {
    // Pages also speak of folders in the projects of others, which may be called the same.
    const ours = /^(?:docs\/[\w-]+\.md$|(?:bench|conformance|examples|mcpb|packages|scripts|test)\/)/;
    const named = quoted(text).filter((path) => ours.test(path));
    const missing = named.filter((path) => !/[*<…]/.test(path) && !existsSync(join(repository, path)));
    expect(missing).toEqual([]);
  });

  test.each(PAGES)('scripts of npm: $name', ({ text }) => {
    const named = all(text, /\bnpm run ([\w:-]+)/g);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });
});
