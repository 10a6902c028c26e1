import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const SCRIPT = fileURLToPath(new URL('../../scripts/build-launcher.mjs', import.meta.url));
const COMPILERS = { x64: 'x86_64-linux-gnu-gcc', arm64: 'aarch64-linux-gnu-gcc' } as const;
const EMULATORS = { x64: 'qemu-x86_64', arm64: 'qemu-aarch64' } as const;

let folder: string;
let said: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'rootward-launcher-'));
  const { stdout, stderr } = spawnSync(process.execPath, [SCRIPT, '--check', '--into', folder], {
    encoding: 'utf8',
  });
  said = stdout + stderr;
});

afterAll(() => rmSync(folder, { recursive: true }));

function isThere(program: string): boolean {
  return spawnSync(program, ['--version']).status === 0;
}

test.runIf(process.platform === 'linux')(
  'the launcher is not built without a compiler, which is said',
  () => {
    const { status, stderr } = spawnSync(process.execPath, [SCRIPT, '--into', join(folder, 'none')], {
      encoding: 'utf8',
      env: { PATH: folder },
    });
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: `The launcher for linux-${process.arch} was not built: there is no cc\n`,
    });
  },
);

describe.skipIf(process.platform !== 'linux').each(['x64', 'arm64'] as const)(
  'The launcher for %s',
  (processor) => {
    const isNative = processor === process.arch;

    test('is static, and two builds of it are equal', ({ skip }) => {
      const compiler = isNative ? 'cc' : COMPILERS[processor];
      if (!isThere(compiler)) skip(`there is no ${compiler}`);
      expect(said).toContain(`The launcher for linux-${processor} is static, and two builds are equal`);
    });

    test('says which Landlock there is, or why it does not start', ({ skip }) => {
      const compiler = isNative ? 'cc' : COMPILERS[processor];
      if (!isThere(compiler)) skip(`there is no ${compiler}`);
      const launcher = join(folder, processor, 'rootward-launcher');
      const [program, prefix] = isNative ? [launcher, []] : [EMULATORS[processor], [launcher]];
      if (!isNative && !isThere(program)) skip(`there is no ${program}`);
      const probe = spawnSync(program, [...prefix, '--probe'], { encoding: 'utf8' });
      const refused = spawnSync(program, [...prefix, '9', folder, '/bin/true'], { encoding: 'utf8' });
      // Emulators know few of the newer system calls.
      expect(`${probe.status} ${probe.stdout}${probe.stderr}`).toMatch(
        /^(?:0 \d+|125 Cannot start in the sandbox: .+)\n$/,
      );
      expect({ status: refused.status, text: refused.stderr }).toEqual({
        status: 125,
        text: 'Cannot start in the sandbox: the plan cannot be read: Bad file descriptor\n',
      });
    });
  },
);
