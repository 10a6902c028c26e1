import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findProgram } from '@rootward/core/platform';
import { DemoClient } from './demo-client.js';
import type { TourPlace } from './tour-place.js';

const run = promisify(execFile);
/** The settings of the user who runs the tour do not count. */
const AUTHOR = [
  '-c',
  'user.name=demo',
  '-c',
  'user.email=demo@example.invalid',
  '-c',
  'commit.gpgsign=false',
];

/** A sub-agent in a working tree of its own: with the hook its call lands there, without it nothing lands elsewhere. */
export async function followWorkingTrees({ base, program, environment, narrator }: TourPlace): Promise<void> {
  narrator.tell('A sub-agent works in a git worktree of its own, through the same connection.');
  const site = join(base, 'site');
  const tree = join(site, '.claude', 'worktrees', 'fix');
  const installed = findProgram('git', { environment, roots: [] });
  const git = (...args: string[]): Promise<unknown> =>
    run(installed ?? '', [...AUTHOR, ...args], { cwd: site, env: environment });
  await mkdir(site);
  await writeFile(join(site, 'page.md'), '# A page\n');
  try {
    await git('init', '--quiet');
    await git('add', '.');
    await git('commit', '--quiet', '--message', 'a page');
  } catch {
    narrator.leaveOut('git is not installed here');
    return;
  }
  await using client = await DemoClient.open({
    command: program,
    environment,
    directory: site,
    folders: [site],
  });
  await client.call('workspace_info');
  await git('worktree', 'add', '--quiet', tree);

  const write = { path: 'note.md', content: 'from the sub-agent\n' };
  const unbound = await client.call('write_file', write);
  const isNowhere = !existsSync(join(site, 'note.md')) && !existsSync(join(tree, 'note.md'));
  narrator.show(
    unbound.refused && isNowhere,
    'refused: without the hook nobody knows which tree is meant',
    unbound.text.split('\n')[0],
  );

  const id = 'toolu_demo';
  await client.call('bind_caller', { cwd: tree, id });
  await client.call('write_file', write, { 'claudecode/toolUseId': id });
  const landed = existsSync(join(tree, 'note.md')) && !existsSync(join(site, 'note.md'));
  narrator.show(
    landed,
    'with the hook that "install" writes, the same call lands in its own tree',
    join(tree, 'note.md'),
  );
}
