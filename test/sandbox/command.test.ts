import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findBackends } from '@rootward/sandbox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const PROGRAM = fileURLToPath(new URL('../../packages/server/dist/rootward.cjs', import.meta.url));
const working = new Set(
  (await findBackends()).flatMap(({ name, backend }) => (backend === undefined ? [] : [name])),
);

let base: string;

beforeAll(() => {
  // Not below /tmp, which is private in some sandboxes.
  base = realpathSync(mkdtempSync('/var/tmp/rootward-command-'));
  for (const name of ['in', 'out']) {
    mkdirSync(join(base, name));
    writeFileSync(join(base, name, 'file.txt'), `content of ${name}\n`);
  }
});

afterAll(() => rmSync(base, { recursive: true, force: true }));

interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function rootward(backends: string, ...args: readonly string[]): Ended {
  const env = { ...process.env, ROOTWARD_SANDBOX_BACKENDS: backends };
  return spawnSync(process.execPath, [PROGRAM, ...args], { encoding: 'utf8', env, cwd: base });
}

describe.each(['bubblewrap', 'landlock'] as const)('rootward sandbox with %s', (backend) => {
  test('runs a command in the roots, and ends as it does', ({ skip }) => {
    if (!working.has(backend)) skip(`${backend} does not work here`);
    const script = 'cat in/file.txt out/file.txt; echo made > in/made.txt; echo made > out/made.txt; exit 7';
    const ended = rootward(backend, 'sandbox', join(base, 'in'), '--', 'sh', '-c', `cd ${base}; ${script}`);
    expect(ended.status).toBe(7);
    expect(ended.stdout).toBe('content of in\n');
    expect(rootward(backend, 'sandbox', base, '--', 'ls', 'in', 'out').stdout).toBe(
      'in:\nfile.txt\nmade.txt\n\nout:\nfile.txt\n',
    );
  });

  test('gives a command what the configuration names, at home too, and passes over what is missing', ({
    skip,
  }) => {
    if (!working.has(backend)) skip(`${backend} does not work here`);
    const home = join(base, `home-${backend}`);
    mkdirSync(home);
    writeFileSync(join(home, '.named'), 'a setting\n');
    const file = join(base, `${backend}.json`);
    writeFileSync(file, JSON.stringify({ sandbox: { read: ['~/.named', '~/missing'] } }));
    const run = (...args: readonly string[]): Ended => {
      const all = ['sandbox', join(base, 'in'), ...args, '--', 'sh', '-c', 'cat ~/.named'];
      const env = { ...process.env, HOME: home, ROOTWARD_SANDBOX_BACKENDS: backend };
      return spawnSync(process.execPath, [PROGRAM, ...all], { encoding: 'utf8', env, cwd: base });
    };
    expect(run('--config', file)).toMatchObject({ status: 0, stdout: 'a setting\n' });
    expect(run()).toMatchObject({ status: 1, stdout: '' });
  });

  test('says what a command may touch', ({ skip }) => {
    if (!working.has(backend)) skip(`${backend} does not work here`);
    const { stdout } = rootward(backend, 'sandbox', join(base, 'in'), '--explain');
    expect(stdout).toContain(`Backend ${backend}\nLevel strict, guarantee `);
    expect(stdout).toContain(`May write: ${join(base, 'in')} (root)`);
    expect(stdout).toContain('May not use the network');
    const write = rootward(backend, 'sandbox', join(base, 'in'), '--level', 'write', '--explain', '--json');
    expect(JSON.parse(write.stdout)).toMatchObject({
      level: 'write',
      backend,
      plan: { readsEverything: true, network: true },
    });
  });

  test('says where nothing can be made beside something protected, and doctor does', ({ skip }) => {
    if (!working.has(backend)) skip(`${backend} does not work here`);
    const root = join(base, `guarded-${backend}`);
    mkdirSync(join(root, 'sub'), { recursive: true });
    writeFileSync(join(root, 'sub/.mcp.json'), '{}');
    const note = `With Landlock nothing can be made, renamed or removed directly in "${root}" and 1 other folder, because something protected is there\n`;
    const isSaid = backend === 'landlock';
    expect(rootward(backend, 'sandbox', root, '--explain').stdout.includes(note)).toBe(isSaid);
    expect(rootward(backend, 'sandbox', join(base, 'in'), '--explain').stdout).not.toContain('With Landlock');
    expect(rootward(backend, 'doctor', root).stdout.includes('around something protected')).toBe(isSaid);
  });

  test('says why a root with a link in the place of a steering folder is read-only', ({ skip }) => {
    if (!working.has(backend)) skip(`${backend} does not work here`);
    const root = join(base, `linked-${backend}`);
    mkdirSync(join(root, 'sub'), { recursive: true });
    symlinkSync('sub', join(root, '.vscode'));
    const { stdout } = rootward(backend, 'sandbox', root, '--explain');
    expect(stdout).toContain(
      `"${root}" is read-only, because nothing less protects what steers programs there`,
    );
  });

  test('is refused where it is hidden, and doctor says why', () => {
    const other = backend === 'bubblewrap' ? 'landlock' : 'bubblewrap';
    const args = ['sandbox', base, '--sandbox-backend', backend, '--', 'true'];
    const refused = rootward(other, ...args);
    expect(refused.status).toBe(2);
    expect(refused.stderr).toContain(
      `Cannot provide the sandbox level strict: no backend works (${backend}: `,
    );
    const { stdout } = rootward(other, 'doctor', base);
    expect(stdout).toMatch(new RegExp(`sandbox +${backend} cannot be used: .*\\n +fix: `));
  });

  test('is found by doctor, with its guarantee', ({ skip }) => {
    if (!working.has(backend)) skip(`${backend} does not work here`);
    const { stdout } = rootward(backend, 'doctor', base);
    expect(stdout).toMatch(new RegExp(`sandbox +${backend} works \\(.+\\), guarantee (?:full|contents)`));
    expect(stdout).toContain(`language servers at level strict with ${backend}`);
  });
});
