import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { git, makeRepository } from '../../../../testing/git.js';
import { RootwardError } from '../../src/error.js';
import { Scope } from '../../src/scope/scope.js';
import { rootAt, useTree } from './fixture.js';

const tree = useTree();
let scope: Scope;
/** A file that exists as soon as git has run the planted program. */
let proof: string;
/** A configuration that makes `git status` run a program. */
let evil: string;

beforeEach(() => {
  proof = tree().out('ran');
  const program = tree().out('program.sh');
  writeFileSync(program, `#!/bin/sh\necho ran > '${proof}'\n`);
  chmodSync(program, 0o755);
  evil = `[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tfsmonitor = ${program}\n`;
  makeRepository(tree().in('repo'));
  writeFileSync(tree().in('repo', 'a.txt'), 'a');
  git(tree().in('repo'), 'add', '.');
  git(tree().in('repo'), 'commit', '-m', 'a');
  scope = fresh();
});

function fresh(root = tree().inside): Scope {
  return new Scope({ roots: [rootAt(root)] });
}

/** The code of a refusal, or 'none'. */
async function outcomeOf(attempt: Promise<unknown>): Promise<string> {
  try {
    await attempt;
    return 'none';
  } catch (error) {
    if (error instanceof RootwardError) return error.code;
    throw error;
  }
}

/** Runs git as the user would; it may find the repository broken. */
function status(folder: string, ...args: readonly string[]): void {
  try {
    execFileSync('git', args.length === 0 ? ['status'] : [...args], { cwd: folder, stdio: 'pipe' });
  } catch {
    // Only what it ran matters.
  }
}

/** A folder that git takes as the common directory of a repository. */
function commonFolder(path: string): void {
  for (const name of ['objects', 'refs']) mkdirSync(join(path, name), { recursive: true });
  writeFileSync(join(path, 'config'), evil);
}

describe('git executes what these attempts plant, and a scope refuses them:', () => {
  test('commondir', async () => {
    commonFolder(tree().in('prepared'));
    const file = tree().in('repo/.git/commondir');
    const text = '../../prepared\n';
    for (const name of ['.git', '.GIT', '.Git']) {
      expect(await outcomeOf(scope.write(tree().in('repo', name, 'commondir'), text))).toMatch(
        name === '.git' ? 'protected' : /protected|not-found/,
      );
    }
    status(tree().in('repo'));
    expect(existsSync(proof)).toBe(false);
    writeFileSync(file, text);
    status(tree().in('repo'));
    expect(existsSync(proof)).toBe(true);
  });

  test('a `.git` file that leads to a prepared folder', async () => {
    commonFolder(tree().in('prepared'));
    mkdirSync(tree().in('plain'));
    expect(await outcomeOf(scope.write('prepared/HEAD', 'ref: refs/heads/main\n'))).toBe('protected');
    expect(await outcomeOf(scope.write('plain/.git', 'gitdir: ../prepared\n'))).toBe('protected');
    writeFileSync(tree().in('prepared/HEAD'), 'ref: refs/heads/main\n');
    writeFileSync(tree().in('plain/.git'), 'gitdir: ../prepared\n');
    status(tree().in('plain'));
    expect(existsSync(proof)).toBe(true);
  });

  test.each(['HEAD', 'objects', 'refs', 'commondir'])(
    'a bare repository that only lacks %s',
    async (last) => {
      const bare = tree().in('bare');
      commonFolder(bare);
      // A bare one has no state to show; this one claims a work tree.
      writeFileSync(join(bare, 'config'), `${evil}\tworktree = ${tree().inside}\n`);
      writeFileSync(join(bare, 'HEAD'), 'ref: refs/heads/main\n');
      if (last === 'commondir') renameSync(join(bare, 'objects'), tree().in('spare'));
      else renameSync(join(bare, last), tree().in('spare'));
      const target = join(bare, last);
      const attempts = [
        () => scope.write(target, 'ref: refs/heads/main\n'),
        () => scope.mkdir(target),
        // Git wants HEAD to be a file.
        ...(last === 'HEAD' ? [] : [() => scope.mkdir(join(target, 'deeper'), { recursive: true })]),
        () => scope.rename('spare', target),
        () => scope.copy('repo/a.txt', target),
        () => scope.restore(target, { kind: 'link', target: '../spare' }),
      ];
      for (const attempt of attempts) expect(await outcomeOf(attempt())).toMatch(/^protected$|^not-a-file$/);
      expect(existsSync(target)).toBe(false);
      if (last === 'commondir') return;
      renameSync(tree().in('spare'), target);
      status(bare);
      expect(existsSync(proof)).toBe(true);
    },
  );

  test('a prepared folder that is moved to `.git`, by itself or with its parent', async () => {
    const prepared = tree().in('new', 'prepared');
    commonFolder(prepared);
    expect(await outcomeOf(scope.rename('new/prepared', 'new/.git'))).toBe('protected');
    expect(await outcomeOf(scope.rename('new/prepared', 'new/.GIT'))).toBe('protected');
    expect(await outcomeOf(scope.mkdir('new/.git/hooks', { recursive: true }))).toBe('protected');
    writeFileSync(join(prepared, 'HEAD'), 'ref: refs/heads/main\n');
    expect(await outcomeOf(scope.rename('new', 'other'))).toBe('protected');
    renameSync(prepared, tree().in('new', '.git'));
    status(tree().in('new'));
    expect(existsSync(proof)).toBe(true);
  });

  test.each(['--local', '--worktree'])(
    'hooks that core.hooksPath names, with git config %s',
    async (file) => {
      const repo = tree().in('repo');
      mkdirSync(join(repo, 'ci', 'hooks'), { recursive: true });
      git(repo, 'config', 'extensions.worktreeConfig', 'true');
      git(repo, 'config', file, 'core.hooksPath', 'ci/hooks');
      scope = fresh(repo);
      const text = readFileSync(tree().out('program.sh'));
      expect(await outcomeOf(scope.write('ci/hooks/post-commit', text))).toBe('protected');
      expect(await outcomeOf(scope.rename('ci/hooks', 'ci/h'))).toBe('protected');
      expect(await outcomeOf(scope.write('ci/other', text))).toBe('none');
      const refusal = await scope.write('ci/hooks/x', '').catch(String);
      expect(refusal).toContain('git runs hooks from it (core.hooksPath)');
      writeFileSync(join(repo, 'ci/hooks/post-commit'), text);
      chmodSync(join(repo, 'ci/hooks/post-commit'), 0o755);
      git(repo, 'commit', '--allow-empty', '-m', 'b');
      expect(existsSync(proof)).toBe(true);
    },
  );
});

describe('nothing is changed in a git directory, and everything is read:', () => {
  const PLACES: readonly (readonly [string, () => string])[] = [
    ['`.git`', () => tree().in('repo/.git')],
    ['that of a linked working tree', () => tree().in('repo/.git/worktrees/tree')],
    ['that of a submodule', () => tree().in('repo/.git/modules/module')],
    ['a bare repository', () => tree().in('store')],
    ['one that a `.git` file names', () => tree().in('separate')],
    ['one in another', () => tree().in('repo/sub/.git')],
    ['that of a linked working tree of a bare repository', () => tree().in('store/worktrees/linked')],
  ];

  beforeEach(() => {
    const repo = tree().in('repo');
    git(repo, 'worktree', 'add', '-q', tree().in('tree'));
    makeRepository(tree().in('repo/sub'));
    git(tree().inside, 'clone', '-q', '--bare', repo, tree().in('store'));
    git(tree().in('store'), 'worktree', 'add', '-q', '--detach', tree().in('linked'));
    git(tree().inside, 'init', '-q', `--separate-git-dir=${tree().in('separate')}`, tree().in('work'));
    git(
      repo,
      '-c',
      'protocol.file.allow=always',
      'submodule',
      '--quiet',
      'add',
      tree().in('store'),
      'module',
    );
    scope = fresh();
  });

  test.each(PLACES)('%s', async (_what, place) => {
    const folder = place();
    const before = readFileSync(join(folder, 'HEAD'), 'utf8');
    expect((await scope.readText(join(folder, 'HEAD'))).text).toBe(before);
    expect((await scope.list(folder)).length).toBeGreaterThan(3);
    const file = join(folder, 'new');
    const attempts: readonly (() => Promise<unknown>)[] = [
      () => scope.write(file, 'x'),
      () => scope.write(join(folder, 'HEAD'), 'x'),
      () => scope.write(join(folder, 'HEAD'), 'x', { mode: 'append' }),
      async () => (await scope.open(join(folder, 'HEAD'), { access: 'read-write' })).close(),
      () => scope.mkdir(file),
      () => scope.mkdir(join(file, 'er'), { recursive: true }),
      () => scope.copy(tree().in('repo/a.txt'), file),
      () => scope.rename(tree().in('repo/a.txt'), file),
      () => scope.rename(join(folder, 'HEAD'), tree().in('HEAD.txt')),
      () => scope.rename(folder, tree().in('moved')),
      () => scope.remove(join(folder, 'HEAD')),
      () => scope.remove(folder, { recursive: true }),
      () => scope.write(join(folder, 'objects/info/alternates'), '/x'),
      () => scope.restore(file, { kind: 'file', mode: 0o644, bytes: Buffer.from('x') }),
      () => scope.restore(file, { kind: 'link', target: '/x' }),
    ];
    for (const attempt of attempts) expect(await outcomeOf(attempt())).toMatch(/^(?:protected|not-found)$/);
    expect(readFileSync(join(folder, 'HEAD'), 'utf8')).toBe(before);
    expect(scope.locate(join(folder, 'config.worktree'))).toMatchObject({ writable: false, steers: true });
  });

  test('also where the root is inside it', async () => {
    scope = fresh(tree().in('store/hooks'));
    expect(await outcomeOf(scope.write('post-update', 'x'))).toBe('protected');
    scope = fresh(tree().in('repo/.git/hooks'));
    expect(await outcomeOf(scope.write('post-update', 'x'))).toBe('protected');
  });

  test('the `.git` file of a working tree and of a submodule', async () => {
    for (const file of ['tree/.git', 'repo/module/.git', 'linked/.git', 'work/.git']) {
      expect(await outcomeOf(scope.write(file, 'gitdir: /x'))).toBe('protected');
      expect(await outcomeOf(scope.remove(file))).toBe('protected');
      expect(await outcomeOf(scope.rename(file, 'g'))).toBe('protected');
    }
  });
});

describe('what git does not obey stays open:', () => {
  test.each([
    'objects/a.txt',
    'refs/a.txt',
    'commondir',
    'config',
    'hooks/pre-commit',
    'my.git',
    'HEAD.md',
    'head/x',
  ])('%s', async (path) => {
    await scope.mkdir(join(tree().in('plain', path), '..'), { recursive: true });
    expect(await outcomeOf(scope.write(tree().in('plain', path), 'x'))).toBe('none');
    expect(await outcomeOf(scope.rename(tree().in('plain'), tree().in('renamed')))).toBe('none');
    expect(await outcomeOf(scope.remove(tree().in('renamed'), { recursive: true }))).toBe('none');
  });
});

test('a link may not take the place of a folder in which programs look for what to run', async () => {
  tree().make({ prepared: { 'settings.json': '{}', 'mcp.json': '{}' } });
  symlinkSync('prepared', tree().in('link'));
  for (const name of ['.claude', '.cursor', '.vscode', 'sub/.github', '.junie', '.git']) {
    await scope.mkdir('sub', { recursive: true });
    expect(await outcomeOf(scope.rename('link', name))).toBe('protected');
  }
  expect(await outcomeOf(scope.rename('link', 'other'))).toBe('none');
});
