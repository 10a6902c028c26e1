import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { claudeCodeInsertion } from '../packages/server/dist/cli/install/hooks/claude-code.js';
import { geminiHookScript } from '../packages/server/dist/cli/install/hooks/gemini-cli.js';
import { repository } from './docs/pages.js';

const top = realpathSync(mkdtempSync(join(tmpdir(), 'rootward-plugins-')));
afterAll(() => rmSync(top, { recursive: true, force: true }));

const plugin = (...parts: string[]): string => join(repository, 'plugins', ...parts);
const text = (...parts: string[]): string => readFileSync(plugin(...parts), 'utf8');
const json = (...parts: string[]): Record<string, unknown> =>
  JSON.parse(text(...parts)) as Record<string, unknown>;

function start(folder: string, PATH: string): readonly [status: number | null, out: string] {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(folder, 'start.cjs'), '--version'], {
    encoding: 'utf8',
    env: { PATH },
  });
  return [status, stdout + stderr];
}

describe('The plugins', () => {
  const { version } = JSON.parse(readFileSync(join(repository, 'packages/server/package.json'), 'utf8')) as {
    version: string;
  };

  test('have the version of the package', () => {
    expect(json('claude-code', '.claude-plugin', 'plugin.json')['version']).toBe(version);
    expect(json('gemini-cli', 'gemini-extension.json')['version']).toBe(version);
  });

  test('have the hooks that install writes', () => {
    const hooks = json('claude-code', 'hooks', 'hooks.json')['hooks'] as Record<string, unknown[]>;
    // Claude Code puts the name of the plugin before that of its server.
    const { value } = claudeCodeInsertion('plugin:rootward:rootward');
    expect(hooks['PreToolUse']).toEqual([value]);
    expect(text('gemini-cli', 'hooks', 'rootward-paths.cjs')).toBe(geminiHookScript());
  });

  test('start in the same way', () => {
    expect(text('gemini-cli', 'start.cjs')).toBe(text('claude-code', 'start.cjs'));
  });

  test('start the server of the repository they are in', () => {
    expect(start(plugin('claude-code'), '')).toEqual([0, `${version}\n`]);
  });

  test.runIf(process.platform !== 'win32')(
    'start an installed server where they were copied, and say when there is none',
    () => {
      const copy = join(top, 'cache', 'a', 'claude-code');
      cpSync(plugin('claude-code'), copy, { recursive: true });
      const bin = join(top, 'bin');
      mkdirSync(bin);
      expect(start(copy, bin)).toEqual([2, expect.stringContaining('Cannot start: it is not installed')]);
      const linked = join(repository, 'packages/server/bin/rootward.cjs');
      chmodSync(linked, 0o755);
      symlinkSync(linked, join(bin, 'rootward'));
      expect(start(copy, `relative:${bin}`)).toEqual([0, `${version}\n`]);
    },
  );
});
