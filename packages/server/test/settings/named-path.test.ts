import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeHomes, run } from '../fixtures/command-line.js';

const makeHome = makeHomes();

/** A home with a configuration file and a tools project below `project`. */
async function filledHome(): Promise<string> {
  const home = makeHome();
  mkdirSync(join(home, 'project', 'sub'));
  writeFileSync(join(home, 'project', 'rootward.json'), '{}');
  writeFileSync(join(home, 'project', 'args.json'), '{"name":"you"}');
  await run(home, ['init', '--tools', 'tools']);
  return home;
}

describe.skipIf(process.platform === 'win32')('~ is the home directory wherever a path is taken', () => {
  const runTool = ['run-tool', 'hello-shell', '--project', '~/tools', '--dry-run', '--json'];
  test.each([
    [['contains', '~/project/x', '--root', '~/project'], 'in scope'],
    [['validate', '~/project/rootward.json'], 'fine'],
    [['validate', '--config', '~/project/rootward.json'], 'fine'],
    [['settings', '~/project'], 'nothing is kept'],
    [['init', '~/project/sub'], 'Wrote <home>/project/sub/rootward.json'],
    [['init', '--tools', '~/more', '--json'], '"<home>/more/tools/'],
    [[...runTool, '--args', '{"name":"you"}', '--roots', '~/project'], '"<home>/project"'],
    [[...runTool, '--args', '@~/project/args.json'], '"name": "you"'],
    [['roots', '--within', '~', '~/project'], '1 root from the command line: <home>/project'],
    [['doctor', '~/project', '--audit', '~/audit.jsonl'], 'appended to <home>/audit.jsonl'],
    [['config', '--client', 'cursor', '~/project'], '"<home>/project"'],
    [['history', '--root', '~/project', '--path', '~/project/sub'], 'No such changes'],
    [['sandbox', '~/project', '--level', 'off', '--explain'], 'Level off'],
  ])('%j', async (args, expected) => {
    const home = await filledHome();
    const { code, out, err } = await run(home, args);
    expect([code, code === 0 ? '' : err]).toEqual([0, '']);
    expect(out).toContain(expected.replace('<home>', home));
    expect(existsSync(join(home, '~'))).toBe(false);
  });

  test('also in the commands that init prints', async () => {
    const home = makeHome();
    const { out } = await run(home, ['init', '--tools', '~/tools']);
    expect(out).toContain(join(home, 'tools', 'test', 'run.sh'));
    expect(out).not.toContain('~');
  });
});
