// Builds the launcher of @rootward/sandbox from its source into the package of each platform that a compiler is here
// for. `--check` builds it a second time and compares; `--into FOLDER` builds elsewhere. Without a compiler the sandbox
// uses bubblewrap alone.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const SOURCES = ['launcher.c', 'watch.c'].map((name) => here(`../packages/sandbox/launcher/${name}`));
/** Static, since it runs before anything of the system may be used; the rest keeps two builds equal. */
const FLAGS = ['-std=gnu11', '-O2', '-Wall', '-Wextra', '-Werror', '-static', '-s', '-Wl,--build-id=none'];
const PLATFORMS = [
  { processor: 'x64', compilers: process.arch === 'x64' ? ['cc', 'gcc'] : ['x86_64-linux-gnu-gcc'] },
  { processor: 'arm64', compilers: process.arch === 'arm64' ? ['cc', 'gcc'] : ['aarch64-linux-gnu-gcc'] },
];
const ELF_MAGIC = 0x464c457f;
const PROGRAM_INTERPRETER = 3;

const { values: flags } = parseArgs({ options: { check: { type: 'boolean' }, into: { type: 'string' } } });
const { check = false, into } = flags;
if (process.platform !== 'linux') process.exit(0);
for (const { processor, compilers } of PLATFORMS) {
  const bin = into === undefined ? here(`../packages/sandbox-linux-${processor}/bin`) : join(into, processor);
  const target = join(bin, 'rootward-launcher');
  if (!check && isNewer(target)) continue;
  const compiler = compilers.find((name) => spawnSync(name, ['--version']).status === 0);
  if (compiler === undefined) {
    if (processor === process.arch || check) {
      console.error(`The launcher for linux-${processor} was not built: there is no ${compilers[0]}`);
    }
    continue;
  }
  mkdirSync(dirname(target), { recursive: true });
  if (!compile(compiler, target, processor)) continue;
  if (isDynamic(target)) fail(`The launcher for linux-${processor} is not static`);
  if (check) compareWithSecondBuild(compiler, target, processor);
}

function isNewer(target) {
  const built = statSync(target, { throwIfNoEntry: false });
  const sources = [...SOURCES, fileURLToPath(import.meta.url)];
  return built !== undefined && sources.every((source) => statSync(source).mtimeMs <= built.mtimeMs);
}

/** Into a folder of its own first: somebody may be running the one that is there. */
function compile(compiler, target, processor) {
  const folder = mkdtempSync(join(dirname(target), '.build-'));
  try {
    const made = join(folder, 'rootward-launcher');
    const { status, stderr } = spawnSync(compiler, [...FLAGS, '-o', made, ...SOURCES], { encoding: 'utf8' });
    if (status !== 0) {
      const message = `The launcher for linux-${processor} was not built: ${stderr.trim()}`;
      if (check) fail(message);
      console.error(message);
      return false;
    }
    renameSync(made, target);
    return true;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function compareWithSecondBuild(compiler, target, processor) {
  const folder = mkdtempSync(join(tmpdir(), 'rootward-launcher-'));
  try {
    const second = join(folder, 'second');
    compile(compiler, second, processor);
    if (!readFileSync(target).equals(readFileSync(second))) fail(`Two builds for linux-${processor} differ`);
    console.log(`The launcher for linux-${processor} is static, and two builds are equal`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A program with an interpreter in its headers is linked when it starts. */
function isDynamic(file) {
  const bytes = readFileSync(file);
  if (bytes.readUInt32LE(0) !== ELF_MAGIC) fail(`${file} is not a program`);
  const [offset, size, count] = [
    Number(bytes.readBigUInt64LE(32)),
    bytes.readUInt16LE(54),
    bytes.readUInt16LE(56),
  ];
  return Array.from({ length: count }, (_, index) => bytes.readUInt32LE(offset + index * size)).includes(
    PROGRAM_INTERPRETER,
  );
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
