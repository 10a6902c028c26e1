import {
  appendFileSync,
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SandboxFolder } from '../../src/child/private-folder.js';

let base: string;
let folder: SandboxFolder;

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'rootward-folders-')));
  folder = new SandboxFolder(base);
});

afterEach(() => {
  folder.dispose();
  rmSync(base, { recursive: true });
});

function contentOf(bytes: string): string {
  const descriptor = folder.openInput(Buffer.from(bytes));
  try {
    return readFileSync(descriptor, 'utf8');
  } finally {
    closeSync(descriptor);
  }
}

describe('SandboxFolder', () => {
  test('gives each child a folder of its own, with links to what was named', () => {
    const home = join(base, 'home');
    for (const name of ['.cache/tool', '.cache/tool/inner']) mkdirSync(join(home, name), { recursive: true });
    const links = ['.cache/tool', '.cache/tool/inner', '.missing'].map((name) => join(home, name));
    const [one, two] = [folder.add(home, links), folder.add(home, [])];
    expect(one.path).not.toBe(two.path);
    expect(lstatSync(join(one.path, '.cache/tool')).isSymbolicLink()).toBe(true);
    expect(readdirSync(one.path)).toEqual(['.cache']);
    expect(lstatSync(one.path).mode & 0o777).toBe(0o700);
  });

  test('removes a folder with everything in it, also what its owner may not enter', async () => {
    const child = folder.add(base, []);
    const { path } = child;
    mkdirSync(join(path, 'locked'), { mode: 0o000 });
    mkdirSync(join(path, 'full'));
    writeFileSync(join(path, 'full/file'), 'x');
    await child.remove();
    expect(existsSync(path)).toBe(false);
    await child.remove();
  });

  test('reads an input from its start each time, and writes equal ones once', () => {
    expect([contentOf('plan'), contentOf('plan'), contentOf('')]).toEqual(['plan', 'plan', '']);
    expect(readdirSync(folder.path).filter((name) => name.startsWith('input-'))).toHaveLength(1);
  });

  test.runIf(process.platform === 'linux')('keeps nothing that a child writes to an empty input', () => {
    const descriptor = folder.openInput(Buffer.alloc(0));
    // A child can open what it was given once more, for writing.
    appendFileSync(`/proc/self/fd/${descriptor}`, 'left for the next child');
    closeSync(descriptor);
    expect(contentOf('')).toBe('');
  });

  test('keeps a limited number of inputs', () => {
    for (let index = 0; index < 100; index++) expect(contentOf(`plan ${index}`)).toBe(`plan ${index}`);
    expect(readdirSync(folder.path).filter((name) => name.startsWith('input-')).length).toBeLessThan(50);
    expect(contentOf('plan 0')).toBe('plan 0');
  });

  test('removes what processes that were killed left behind', () => {
    const abandoned = folder.path.replace(`-${process.pid}-`, '-4194305-');
    // A process that cannot be seen from here may use it.
    const elsewhere = join(base, 'rootward-sandbox-1-4194305-x');
    for (const path of [abandoned, elsewhere]) mkdirSync(path);
    new SandboxFolder(base).dispose();
    expect([abandoned, elsewhere].map((path) => existsSync(path))).toEqual([false, true]);
    expect(folder.isThere).toBe(true);
  });
});
