import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
  chmodSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CLIENT_IDS } from '@rootward/core/platform';
import { makeHomes, run } from '../../fixtures/command-line.js';
import { makeTree } from '../../fixtures/temp-tree.js';

const makeHome = makeHomes();
/** Folders to name: those that are not there are refused. */
const named = makeTree({ 'a/': '', 'b/': '', 'a b/': '' });
const [A, B, A_B] = [named.path('a'), named.path('b'), named.path('a b')];

/** The file of every client and scope, relative to the home (which is the project too), with something in it. */
const FILES: readonly (readonly [client: string, scope: string, file: string, text: string])[] = [
  ['claude-code', 'project', '.mcp.json', '{\n  "mcpServers": {\n    "other": { "command": "x" }\n  }\n}\n'],
  ['claude-code', 'user', '.claude.json', '{"numStartups":12,"mcpServers":{},"projects":{"/a":{"x":[1,2]}}}'],
  [
    'claude-desktop',
    'user',
    '.config/Claude/claude_desktop_config.json',
    '{\r\n\t"mcpServers": {\r\n\t}\r\n}\r\n',
  ],
  ['vscode', 'project', '.vscode/mcp.json', '{\n\t// mine\n\t"servers": {\n\t\t"a": {}, // first\n\t},\n}\n'],
  ['vscode', 'user', '.config/Code/User/mcp.json', '{ "inputs": [] /* none */ }'],
  ['cursor', 'project', '.cursor/mcp.json', '{}'],
  ['cursor', 'user', '.cursor/mcp.json', '{ }\n'],
  ['codex', 'project', '.codex/config.toml', ''],
  [
    'codex',
    'user',
    '.codex/config.toml',
    '# mine\nmodel = "o9"\n\n[mcp_servers.a]\ncommand = "x"\nenv = { A = "1" }\n\n# last\n[tui]\nx = 2026-01-01',
  ],
  ['gemini-cli', 'project', '.gemini/settings.json', '{\n    "ui": { "theme": "x" } // dark\n}\n'],
  [
    'gemini-cli',
    'user',
    '.gemini/settings.json',
    '{ "hooks": { "BeforeTool": [ { "matcher": "a", "hooks": [] } ] } }\n',
  ],
  ['qwen-code', 'project', '.qwen/settings.json', '{\n  "mcpServers": {}\n}'],
  ['qwen-code', 'user', '.qwen/settings.json', '\uFEFF{\n  "a": 1\n}\n'],
  ['opencode', 'project', 'opencode.json', '{\n  "mcp": { "a": { "type": "local" } }\n}\n'],
  [
    'opencode',
    'user',
    '.config/opencode/opencode.jsonc',
    '// mine\n{\n  "mcp": {\n    // nothing yet\n  }\n}\n',
  ],
  ['kilo', 'project', '.kilo/kilo.jsonc', '{\n  "model": "a", // b\n}\n'],
  ['kilo', 'user', '.config/kilo/kilo.json', '{}\n'],
  [
    'goose',
    'user',
    '.config/goose/config.yaml',
    '# mine\nGOOSE_MODEL: x\nextensions:\n  a:\n    enabled: true   # on\n    args: []\n\n# after\nother: [1, 2]\n',
  ],
  ['zed', 'project', '.zed/settings.json', '{\n  "tab_size": 2,\n}\n'],
  [
    'zed',
    'user',
    '.config/zed/settings.json',
    '// Zed settings\n//\n{\n  "context_servers": {\n    "a": { "command": "b", "args": [] }, /* c */\n  },\n  "ui_font_size": 16,\n}\n',
  ],
  ['windsurf', 'user', '.codeium/windsurf/mcp_config.json', '{"mcpServers": {"a": {"command": "b"}}}'],
  ['copilot-cli', 'project', '.github/mcp.json', '{\n  "mcpServers": {}\n}\n'],
  ['copilot-cli', 'user', '.copilot/mcp-config.json', '{}'],
  [
    'cline',
    'user',
    '.cline/data/settings/cline_mcp_settings.json',
    '{\n  "mcpServers": {\n    "a": {}\n\n  }\n}\n',
  ],
  ['continue', 'project', '.continue/mcpServers/other.yaml', 'name: other\n'],
  ['continue', 'user', '.continue/mcpServers/other.yaml', 'name: other\n'],
  ['jetbrains', 'project', '.junie/mcp/mcp.json', '{"mcpServers":{}}'],
  ['jetbrains', 'user', '.junie/mcp/mcp.json', ''],
];

function put(home: string, file: string, text: string): void {
  mkdirSync(dirname(join(home, file)), { recursive: true });
  writeFileSync(join(home, file), text);
}

/** Everything below the home, but for what the command keeps for itself. */
function treeOf(home: string): Readonly<Record<string, string>> {
  const names = readdirSync(home, { recursive: true, encoding: 'utf8' }).filter(
    (name) => !name.startsWith('.local'),
  );
  return Object.fromEntries(
    names.toSorted().map((name) => {
      const path = join(home, name);
      return [name, statSync(path).isFile() ? readFileSync(path, 'latin1') : '/'];
    }),
  );
}

const bare = (value: string): string => value.replaceAll(/\s+/g, '');
const install = (home: string, client: string, ...more: string[]): ReturnType<typeof run> =>
  run(home, ['install', '--client', client, ...more]);
const uninstall = (home: string, client: string, ...more: string[]): ReturnType<typeof run> =>
  run(home, ['uninstall', '--client', client, '--yes', ...more]);

describe('rootward install', () => {
  test('is tried with every client in every scope it has', () => {
    expect(new Set(FILES.map(([client]) => client))).toEqual(new Set(CLIENT_IDS));
  });

  test.each(FILES)(
    'for %s (%s) is taken back byte for byte, and changes nothing the second time',
    async (client, scope, file, text) => {
      const home = makeHome();
      put(home, file, text);
      const before = treeOf(home);
      expect(await install(home, client, '--scope', scope, '--yes', A_B)).toMatchObject({ code: 0 });
      const installed = treeOf(home);
      expect(installed).not.toEqual(before);
      const again = await install(home, client, '--scope', scope, '--yes', A_B);
      expect(again).toMatchObject({ code: 0, out: 'Nothing to change.\n' });
      expect(treeOf(home)).toEqual(installed);
      expect(await uninstall(home, client)).toMatchObject({ code: 0 });
      expect(treeOf(home)).toEqual(before);
    },
  );

  test.each(FILES)(
    'for %s (%s) makes the files that are missing, and takes them away again',
    async (client, scope) => {
      const home = makeHome();
      const before = treeOf(home);
      expect(await install(home, client, '--scope', scope, '--yes')).toMatchObject({ code: 0 });
      expect(JSON.stringify(treeOf(home))).toContain('rootward');
      await uninstall(home, client, '--scope', scope);
      expect(treeOf(home)).toEqual(before);
    },
  );

  test.each(FILES)(
    'for %s (%s) leaves out only its own part of a file that changed since',
    async (client, scope, file, text) => {
      const home = makeHome();
      put(home, file, text);
      await install(home, client, '--scope', scope, '--yes');
      const edited = join(home, file);
      const more = file.endsWith('json') || file.endsWith('jsonc') ? '\n' : '\n# more\n';
      writeFileSync(edited, readFileSync(edited, 'utf8') + more);
      await uninstall(home, client);
      const left = readFileSync(edited, 'utf8');
      expect(left).not.toContain('rootward');
      // All that was there is there, apart from blanks around braces.
      expect(bare(left)).toBe(bare(text + more) || '{}');
    },
  );

  test('keeps comments, order and indentation of what is there', async () => {
    const home = makeHome();
    put(home, '.vscode/mcp.json', '{\n\t// mine\n\t"servers": {\n\t\t"a": {} // first\n\t}\n}\n');
    await install(home, 'vscode', '--scope', 'project', '--yes');
    expect(readFileSync(join(home, '.vscode/mcp.json'), 'utf8')).toBe(
      '{\n\t// mine\n\t"servers": {\n\t\t"a": {}, // first\n\t\t"rootward": {\n\t\t\t"type": "stdio",\n\t\t\t"command": "npx",\n\t\t\t"args": [\n\t\t\t\t"-y",\n\t\t\t\t"rootward"\n\t\t\t]\n\t\t}\n\t}\n}\n',
    );
  });

  test('changes its entry where the folders differ, and still gives back what was there', async () => {
    const home = makeHome();
    put(home, '.codex/config.toml', 'model = "x"\n');
    await install(home, 'codex', '--yes', A);
    await install(home, 'codex', '--yes', B);
    const text = readFileSync(join(home, '.codex/config.toml'), 'utf8');
    expect([text.includes(`"${A}"`), text.includes(`"${B}"`), text.split('[mcp_servers').length]).toEqual([
      false,
      true,
      2,
    ]);
    await uninstall(home, 'codex');
    expect(readFileSync(join(home, '.codex/config.toml'), 'utf8')).toBe('model = "x"\n');
  });

  test('--dry-run shows the difference and writes nothing', async () => {
    const home = makeHome();
    put(home, '.cursor/mcp.json', '{}\n');
    const before = treeOf(home);
    const { code, out } = await install(home, 'cursor', '--dry-run');
    expect(code).toBe(0);
    expect(out).toContain('+    "rootward": {');
    expect(out).toContain('-{}');
    expect(treeOf(home)).toEqual(before);
    expect(existsSync(join(home, '.local'))).toBe(false);
  });

  test('keeps a copy that only the user can read', async () => {
    const home = makeHome();
    put(home, '.cursor/mcp.json', '{"mcpServers":{"a":{"env":{"TOKEN":"secret"}}}}\n');
    const { out } = await install(home, 'cursor', '--yes');
    const copy = /\(the former file: (.*)\)/.exec(out)?.[1] ?? '';
    expect(readFileSync(copy, 'utf8')).toBe('{"mcpServers":{"a":{"env":{"TOKEN":"secret"}}}}\n');
    expect(statSync(copy).mode & 0o077).toBe(0);
  });

  test('without --yes asks, and writes nothing where there is nobody to ask', async () => {
    const home = makeHome();
    const { code, err } = await install(home, 'cursor');
    expect(code).toBe(2);
    expect(err).toContain('add --yes');
    expect(existsSync(join(home, '.cursor'))).toBe(false);
  });

  test.each([
    ['.cursor/mcp.json', 'cursor', '{ "mcpServers": ', 'it is not valid JSON (line 1'],
    ['.cursor/mcp.json', 'cursor', '[]', 'it holds no JSON object'],
    ['.cursor/mcp.json', 'cursor', '{"mcpServers":[]}', '"mcpServers" is not an object'],
    [
      '.cursor/mcp.json',
      'cursor',
      '{"mcpServers":{"rootward":{"command":"other"}}}',
      'its server "rootward" starts another program',
    ],
    ['.codex/config.toml', 'codex', 'a = = 1\n', 'it is not valid TOML'],
    [
      '.codex/config.toml',
      'codex',
      'mcp_servers = { a = { command = "x" } }\n',
      'its servers are not written as tables',
    ],
    ['.config/goose/config.yaml', 'goose', 'a: [1\n', 'it is not valid YAML'],
    ['.config/goose/config.yaml', 'goose', '- a\n', 'it holds no mapping'],
    [
      '.continue/mcpServers/rootward.yaml',
      'continue',
      'name: mine\n',
      'it is there already, and was not written by this command',
    ],
    [
      '.claude/settings.json',
      'claude-code',
      '{"hooks":{"PreToolUse":{}}}',
      '"hooks.PreToolUse" is not a list',
    ],
  ])('leaves %s of %s alone when it holds %s', async (file, client, text, reason) => {
    const home = makeHome();
    put(home, file, text);
    const before = treeOf(home);
    const { code, err } = await install(home, client, '--yes');
    expect(code).toBe(2);
    expect(err).toContain(`Cannot edit ${join(home, file)}: ${reason}`);
    expect(treeOf(home)).toEqual(before);
  });

  test('leaves bytes that are no text alone', async () => {
    const home = makeHome();
    put(home, '.cursor/mcp.json', '');
    writeFileSync(join(home, '.cursor/mcp.json'), Buffer.from([0x7b, 0xff, 0x7d]));
    expect(await install(home, 'cursor', '--yes')).toMatchObject({
      code: 2,
      err: expect.stringContaining('not UTF-8'),
    });
  });

  test('writes through a link in the home, and refuses one that leads out of a project', async () => {
    const home = makeHome();
    put(home, 'dotfiles/mcp.json', '{}\n');
    chmodSync(join(home, 'dotfiles/mcp.json'), 0o640);
    mkdirSync(join(home, '.cursor'));
    symlinkSync(join(home, 'dotfiles/mcp.json'), join(home, '.cursor/mcp.json'));
    await install(home, 'cursor', '--yes');
    expect(readFileSync(join(home, 'dotfiles/mcp.json'), 'utf8')).toContain('rootward');
    expect(statSync(join(home, 'dotfiles/mcp.json')).mode & 0o777).toBe(0o640);

    const away = makeHome();
    mkdirSync(join(away, '.cursor'));
    symlinkSync(join(home, 'dotfiles/mcp.json'), join(away, '.cursor/mcp.json'));
    const { code, err } = await install(away, 'cursor', '--scope', 'project', '--yes');
    expect([code, err.includes('leads out of the project')]).toEqual([2, true]);
  });

  test.each([
    [['--scope', 'project'], 'claude-desktop', 'it takes user only'],
    [['--scope', 'everywhere'], 'cursor', 'expected project or user'],
    [['--name', 'a b'], 'cursor', '"a b" as --name'],
  ])('%j for %s exits with 2 and says why', async (args, client, reason) => {
    const { code, err } = await install(makeHome(), client, '--yes', ...args);
    expect([code, err.includes(reason)]).toEqual([2, true]);
  });

  test.skipIf(process.platform === 'win32')(
    'gives a Claude Code that knows no other hooks one that starts a command',
    async () => {
      const home = makeHome();
      const programs = makeHome();
      writeFileSync(join(programs, 'claude'), '#!/bin/sh\necho "2.0.76 (Claude Code)"\n', { mode: 0o755 });
      put(home, '.claude/settings.json', '{ "model": "x" }\n');
      const before = treeOf(home);
      const act = (command: string): ReturnType<typeof run> =>
        run(home, [command, '--client', 'claude-code', '--yes'], { PATH: programs });
      expect(await act('install')).toMatchObject({ code: 0 });
      const settings = JSON.parse(readFileSync(join(home, '.claude/settings.json'), 'utf8')) as {
        hooks: { PreToolUse: readonly { matcher: string; hooks: readonly { type: string }[] }[] };
      };
      expect(settings.hooks.PreToolUse).toMatchObject([
        { matcher: 'mcp__rootward__.*', hooks: [{ type: 'command' }] },
      ]);
      expect(await act('install')).toMatchObject({ out: 'Nothing to change.\n' });
      // Once it is updated, the better hook takes the place of the other.
      writeFileSync(join(programs, 'claude'), '#!/bin/sh\necho "2.1.325 (Claude Code)"\n');
      expect(await act('install')).toMatchObject({ code: 0 });
      const text = readFileSync(join(home, '.claude/settings.json'), 'utf8');
      expect([text.includes('mcp_tool'), text.includes('"command"')]).toEqual([true, false]);
      expect(await act('uninstall')).toMatchObject({ code: 0 });
      expect(treeOf(home)).toEqual(before);
    },
  );

  test('--name keeps two servers apart', async () => {
    const home = makeHome();
    await install(home, 'cursor', '--yes', A);
    await install(home, 'cursor', '--yes', '--name', 'second', B);
    await uninstall(home, 'cursor');
    expect(JSON.parse(readFileSync(join(home, '.cursor/mcp.json'), 'utf8'))).toEqual({
      mcpServers: { second: { command: 'npx', args: ['-y', 'rootward', B] } },
    });
    await uninstall(home, 'cursor', '--name', 'second');
    expect(JSON.parse(readFileSync(join(home, '.cursor/mcp.json'), 'utf8'))).toEqual({ mcpServers: {} });
  });
});

describe('rootward install with a server to wrap', () => {
  test('writes the command in front of it, under its own name', async () => {
    const home = makeHome();
    const words = [
      'install',
      '--client',
      'claude-code',
      '--yes',
      '--name',
      'files',
      A,
      '--',
      'npx',
      '-y',
      'x',
      '--',
      'y',
    ];
    expect(await run(home, words)).toMatchObject({ code: 0 });
    expect(JSON.parse(readFileSync(join(home, '.claude.json'), 'utf8'))).toEqual({
      mcpServers: {
        files: {
          type: 'stdio',
          command: 'npx',
          args: ['-y', 'rootward', 'wrap', '--root', A, '--', 'npx', '-y', 'x', '--', 'y'],
        },
      },
    });
    expect(readFileSync(join(home, '.claude/settings.json'), 'utf8')).toContain('mcp__files__.*');
    await uninstall(home, 'claude-code', '--name', 'files');
    expect(treeOf(home)).toEqual({ project: '/' });
  });

  test('needs a name, and leaves hooks out that know our tools only', async () => {
    const home = makeHome();
    expect(await run(home, ['install', '--client', 'cursor', '--yes', '--', 'x'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('add --name'),
    });
    await run(home, ['install', '--client', 'gemini-cli', '--yes', '--name', 'x', '--', 'y']);
    expect(readFileSync(join(home, '.gemini/settings.json'), 'utf8')).not.toContain('hooks');
  });
});

describe('rootward uninstall', () => {
  test('takes out an entry that was pasted by hand, and no other program', async () => {
    const home = makeHome();
    put(
      home,
      '.cursor/mcp.json',
      '{"mcpServers":{"rootward":{"command":"node","args":["/x/rootward.cjs"]},"a":{}}}',
    );
    await uninstall(home, 'cursor');
    expect(readFileSync(join(home, '.cursor/mcp.json'), 'utf8')).toBe('{"mcpServers":{"a":{}}}');
    put(home, '.cursor/mcp.json', '{"mcpServers":{"rootward":{"command":"other"}}}');
    expect(await uninstall(home, 'cursor')).toMatchObject({ out: 'Nothing to change.\n' });
  });
});
