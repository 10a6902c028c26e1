import { expect, test } from 'vitest';
import type { Surroundings } from '../../src/protected/place.js';
import { isSteering, protectedPlaces, steeringReason } from '../../src/protected/register.js';

const USER: Surroundings = { environment: {}, home: '/home/me', platform: 'linux', uid: 7 };

function hidden(surroundings: Surroundings): readonly string[] {
  return protectedPlaces(surroundings)
    .filter(({ where, protection }) => where === 'at' && protection === 'hidden')
    .map(({ path }) => path);
}

function fixed(surroundings: Surroundings): readonly string[] {
  return protectedPlaces(surroundings)
    .filter(({ where, protection }) => where === 'at' && protection === 'fixed')
    .map(({ path }) => path);
}

test('protectedPlaces() gives every place a reason that ends a sentence', () => {
  for (const { reason } of protectedPlaces(USER)) expect(reason).toMatch(/^\S.*[^.\s]$/);
});

test('protectedPlaces() hides what Rootward keeps in the usual places', () => {
  expect(hidden(USER)).toEqual(
    expect.arrayContaining([
      '/home/me/.local/state/rootward',
      '/home/me/.config/rootward',
      '/home/me/.cache/rootward',
      '/tmp/rootward-7',
      '/run/user/7/rootward',
    ]),
  );
});

test('protectedPlaces() hides what Rootward keeps wherever the environment puts it, and the usual places too', () => {
  const environment = {
    XDG_STATE_HOME: '/w/state',
    XDG_CONFIG_HOME: '/w/config',
    XDG_CACHE_HOME: '/w/cache',
    XDG_RUNTIME_DIR: '/w/run',
    TMPDIR: '/w/tmp',
  };
  const moved = ['/w/state/rootward', '/w/config/rootward', '/w/cache/rootward', '/w/run/rootward'];
  expect(hidden({ ...USER, environment })).toEqual(expect.arrayContaining([...moved, '/w/tmp/rootward-7']));
  expect(hidden({ ...USER, environment })).toEqual(expect.arrayContaining(hidden(USER) as string[]));
});

test('protectedPlaces() ignores relative values of the environment', () => {
  const environment = { XDG_STATE_HOME: 'state', XDG_RUNTIME_DIR: 'run', ZDOTDIR: '.', KUBECONFIG: 'k' };
  expect(protectedPlaces({ ...USER, environment })).toEqual(protectedPlaces(USER));
});

test('protectedPlaces() hides credentials that a variable names or moves', () => {
  const environment = { KUBECONFIG: '/k/one:/k/two', XDG_CONFIG_HOME: '/c', CODEX_HOME: '/codex' };
  expect(hidden({ ...USER, environment })).toEqual(
    expect.arrayContaining(['/k/one', '/k/two', '/c/gh', '/codex/auth.json', '/home/me/.config/gh']),
  );
});

test('protectedPlaces() fixes start-up files and the folders of clients', () => {
  const environment = { ZDOTDIR: '/z', CLAUDE_CONFIG_DIR: '/claude', XDG_CONFIG_HOME: '/c' };
  expect(fixed({ ...USER, environment })).toEqual(
    expect.arrayContaining(['/home/me/.bashrc', '/z/.zshrc', '/claude', '/c/opencode', '/c/git', '/c/fish']),
  );
});

test.each([
  '.rootward.json',
  'a/b/.Git',
  '.git/commondir',
  'sub/.git/objects/info/alternates',
  '.opencode/plugins/x.js',
  '.gemini/hooks/x.sh',
  '.github/mcp.json',
  '.junie/mcp/mcp.json',
  '.continue/mcpServers/x.yaml',
  '.kilo/kilo.jsonc',
  'opencode.jsonc',
  '.windsurf/mcp.json',
  '.vscode/TASKS.json',
  'app.code-workspace',
  '.idea/workspace.xml',
  '.devcontainer/devcontainer.json',
  '.envrc',
  '.husky/pre-commit',
])('steeringReason() has a reason for %s', (path) => {
  expect(steeringReason(`/work/${path}`)).toBeTruthy();
  expect(isSteering(`/work/${path}`)).toBe(true);
});

test.each([
  'package.json',
  'Makefile',
  '.github/workflows/ci.yml',
  '.gitignore',
  '.gitattributes',
  'src/.git.ts',
  'my.git',
  '.vscode/extensions.json',
  'opencode.json.md',
  'xopencode.json',
  '.claude/CLAUDE.md',
  'app.code-workspaces',
])('steeringReason() leaves %s alone', (path) => {
  expect(steeringReason(`/work/${path}`)).toBeUndefined();
});
