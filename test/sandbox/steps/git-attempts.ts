import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** An operation, and its two paths, or a path and a text; see steps.sh. */
export type Step = readonly [does: string, first: string, second?: string];

const GIT_ENVIRONMENT = { PATH: process.env['PATH'], HOME: '/nowhere', GIT_CONFIG_NOSYSTEM: '1' };

export function git(folder: string, ...args: readonly string[]): void {
  const author = ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'safe.directory=*'];
  spawnSync('git', [...author, ...args], { cwd: folder, env: GIT_ENVIRONMENT });
}

/** `data`: where its git directory is, if not in it. */
export function repository(folder: string, data?: string): void {
  mkdirSync(folder, { recursive: true });
  if (data !== undefined) mkdirSync(dirname(data), { recursive: true });
  git(folder, 'init', '-q', ...(data === undefined ? [] : ['--separate-git-dir', data]));
  writeFileSync(join(folder, 'a.txt'), 'a');
  git(folder, 'add', 'a.txt');
  git(folder, 'commit', '-qm', 'one');
}

/** A command that git runs with its next look at the files. */
export const evil = (mark: string): string =>
  `[core]\\n\\tbare = false\\n\\tfsmonitor = touch ${mark}; false\\n`;

export interface GitAttempt {
  readonly prepare: (root: string) => void;
  /** Paths with `./` mean the folder that was entered. */
  readonly steps: (root: string, config: string) => readonly Step[];
  /** Where the user runs git then. */
  readonly look?: readonly string[];
}

export const GIT_ATTEMPTS: Readonly<Record<string, GitAttempt>> = {
  'write its configuration': {
    prepare: (root) => repository(root),
    steps: (_, config) => [['append', '.git/config', config]],
  },
  'put a copy in its place': {
    prepare: (root) => repository(root),
    steps: (_, config) => [
      ['rename', '.git', '.old'],
      ['copy', '.old', '.git'],
      ['append', '.git/config', config],
    ],
  },
  'lead it elsewhere': {
    prepare: (root) => repository(root),
    steps: (root, config) => [
      ['copy', '.git', 'elsewhere'],
      ['append', 'elsewhere/config', config],
      ['append', '.git/commondir', join(root, 'elsewhere')],
    ],
  },
  'write the configuration of a nested one': {
    prepare: (root) => repository(join(root, 'sub')),
    steps: (_, config) => [['append', 'sub/.git/config', config]],
    look: ['-C', 'sub'],
  },
  'put a copy in the place of a folder around a nested one': {
    prepare: (root) => repository(join(root, 'in/sub')),
    steps: (_, config) => [
      ['rename', 'in', 'old'],
      ['copy', 'old', 'in'],
      ['append', 'in/sub/.git/config', config],
    ],
    look: ['-C', 'in/sub'],
  },
  'put a copy in the place of a nested one, from inside': {
    prepare: (root) => repository(join(root, 'in/sub')),
    steps: (_, config) => [
      ['enter', 'in/sub'],
      ['rename', './.git', './old'],
      ['copy', './old', './.git'],
      ['append', './.git/config', config],
    ],
    look: ['-C', 'in/sub'],
  },
  'lead a worktree elsewhere': {
    prepare: (root) => {
      repository(join(root, 'main'));
      git(join(root, 'main'), 'worktree', 'add', '-q', '../linked');
    },
    steps: (root, config) => [
      ['copy', 'main/.git', 'elsewhere'],
      ['append', 'elsewhere/config', config],
      ['rename', 'linked/.git', 'linked/old'],
      ['append', 'linked/.git', `gitdir: ${join(root, 'elsewhere')}`],
    ],
    look: ['-C', 'linked'],
  },
  'write the configuration of a submodule': {
    prepare: (root) => {
      repository(root);
      repository(join(root, 'module'), join(root, '.git/modules/module'));
    },
    steps: (_, config) => [['append', '.git/modules/module/config', config]],
    look: ['-C', 'module'],
  },
  'write into a git directory of another name': {
    prepare: (root) => repository(join(root, 'sub'), join(root, 'store/data')),
    steps: (_, config) => [
      ['append', 'store/data/config', config],
      ['rename', 'store', 'old'],
      ['copy', 'old', 'store'],
      ['append', 'store/data/config', config],
    ],
    look: ['-C', 'sub'],
  },
  'write into a bare repository': {
    prepare: (root) => git(root, 'init', '-q', '--bare', 'bare.git'),
    steps: (_, config) => [
      ['append', 'bare.git/config', config],
      ['rename', 'bare.git', 'old'],
      ['copy', 'old', 'bare.git'],
      ['append', 'bare.git/config', config],
    ],
    look: ['--git-dir=bare.git', '--work-tree=.'],
  },
};
