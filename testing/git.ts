import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';

const IDENTITY = ['user.name=t', 'user.email=t@example.invalid', 'init.defaultBranch=main'];

/** Runs git in a folder, whatever the settings of the user are. */
export function git(directory: string, ...args: readonly string[]): void {
  const settings = IDENTITY.flatMap((each) => ['-c', each]);
  execFileSync('git', [...settings, ...args], { cwd: directory, stdio: 'pipe' });
}

/** Makes a repository with one empty commit. */
export function makeRepository(directory: string): void {
  mkdirSync(directory, { recursive: true });
  git(directory, 'init');
  git(directory, 'commit', '--allow-empty', '-m', 'first');
}
