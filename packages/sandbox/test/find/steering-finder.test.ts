import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findLauncher } from '../../src/backends/launcher.js';
import { protecting } from '../../src/find/found.js';
import { SteeringFinder } from '../../src/find/steering-finder.js';

const ENDINGS = ['.git', '.mcp.json', '.vscode/mcp.json', '*.code-workspace'];
const launcher = findLauncher();

let root: string;
let finder: SteeringFinder;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'rootward-finder-')));
});

afterEach(() => {
  finder.dispose();
  rmSync(root, { recursive: true, force: true });
});

function put(...names: readonly string[]): void {
  for (const name of names) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    if (name.endsWith('/')) mkdirSync(join(root, name), { recursive: true });
    else writeFileSync(join(root, name), '');
  }
}

async function found(): Promise<readonly string[]> {
  const all = await finder.find([root]);
  return all.map(({ path, kind }) => `${kind} ${relative(root, path)}`).sort();
}

describe.each([
  ['with the launcher', launcher],
  ['without it', undefined],
])('SteeringFinder %s', (name, program) => {
  const isMissing = name === 'with the launcher' && program === undefined;

  beforeEach(() => {
    finder = new SteeringFinder(ENDINGS, { launcher: program });
  });

  test.skipIf(isMissing)(
    'finds names at any depth, in any letter case, and git directories by their contents',
    async () => {
      put(
        '.git/config',
        'a/b/.GIT',
        'a/.vscode/MCP.json',
        'a/vscode/mcp.json',
        'x/my.code-workspace',
        'mcp.json',
      );
      put(
        'bare/HEAD',
        'bare/objects/',
        'bare/refs/',
        'linked/HEAD',
        'linked/commondir',
        'no/HEAD',
        'no/refs/',
      );
      symlinkSync('/nowhere', join(root, 'a', '.mcp.json'));
      expect(await found()).toEqual([
        'file a/.vscode/MCP.json',
        'file a/b/.GIT',
        'file x/my.code-workspace',
        'folder .git',
        'folder bare',
        'folder linked',
        'link a/.mcp.json',
      ]);
    },
  );

  test.skipIf(isMissing)('finds a link in the place of a folder, and leaves the folder alone', async () => {
    put('.vscode/other.json', 'a/.vscode/mcp.json', 'vs/');
    symlinkSync('vs', join(root, 'a', '.VSCode'));
    symlinkSync('vs', join(root, 'vscode'));
    expect(await found()).toEqual(['file a/.vscode/mcp.json', 'link a/.VSCode']);
    symlinkSync('/nowhere', join(root, 'vs', '.vscode'));
    expect(await found()).toEqual(['file a/.vscode/mcp.json', 'link a/.VSCode', 'link vs/.vscode']);
    rmSync(join(root, 'a', '.VSCode'));
    expect(await found()).toEqual(['file a/.vscode/mcp.json', 'link vs/.vscode']);
  });

  test.skipIf(isMissing)('knows of every change that was made before it was asked', async () => {
    put('a/b/c/', 'd/.git/');
    expect(await found()).toEqual(['folder d/.git']);
    put('a/b/c/e/f/.git', 'a/bare/HEAD', 'a/bare/objects/', 'a/bare/refs/');
    expect(await found()).toEqual(['file a/b/c/e/f/.git', 'folder a/bare', 'folder d/.git']);
    renameSync(join(root, 'a/b'), join(root, 'd/moved'));
    rmSync(join(root, 'a/bare/refs'), { recursive: true });
    expect(await found()).toEqual(['file d/moved/c/e/f/.git', 'folder d/.git']);
    rmSync(join(root, 'd/moved/c'), { recursive: true });
    put('d/moved/c/.mcp.json');
    expect(await found()).toEqual(['file d/moved/c/.mcp.json', 'folder d/.git']);
    renameSync(root, `${root}.old`);
    put('new/.git');
    expect(await found()).toEqual(['file new/.git']);
    rmSync(`${root}.old`, { recursive: true });
  });

  test.skipIf(isMissing)('says which folders it did not look into', async () => {
    finder.dispose();
    finder = new SteeringFinder(ENDINGS, { launcher: program, maxFolders: 2 });
    put('a/.git', 'b/.git', 'c/.git');
    const all = await found();
    expect(all.some((each) => each.startsWith('unseen '))).toBe(true);
    expect(all).toHaveLength(3);
  });

  test.skipIf(isMissing || process.getuid?.() === 0)(
    'does not pass over a folder that cannot be read',
    async () => {
      put('a/b/.git');
      chmodSync(join(root, 'a'), 0);
      expect(await found()).toEqual(['unseen a']);
      chmodSync(join(root, 'a'), 0o700);
      expect(await found()).toEqual(['file a/b/.git']);
    },
  );

  test.skipIf(isMissing)('finds nothing in a root that has gone', async () => {
    put('.git');
    await found();
    rmSync(root, { recursive: true });
    const all = await finder.find([root]);
    expect(all.every(({ kind }) => kind === 'unseen')).toBe(true);
  });
});

test.skipIf(launcher === undefined)('a watch that was killed is replaced', async () => {
  finder = new SteeringFinder(ENDINGS, { launcher });
  put('.git');
  expect(await found()).toEqual(['file .git']);
  process.kill(watchingProcess(), 'SIGKILL');
  put('a/.git');
  expect(await found()).toEqual(['file .git', 'file a/.git']);
  expect(await found()).toEqual(['file .git', 'file a/.git']);
});

test.skipIf(launcher === undefined)(
  'changes that the queue of the kernel had no room for are found',
  async () => {
    finder = new SteeringFinder(ENDINGS, { launcher });
    put('a/', 'b/');
    expect(await found()).toEqual([]);
    const most = Number(readFileSync('/proc/sys/fs/inotify/max_queued_events', 'utf8'));
    const watching = watchingProcess();
    process.kill(watching, 'SIGSTOP');
    for (let made = 0; made <= most; made += 2) {
      writeFileSync(join(root, 'a', 'x'), '');
      rmSync(join(root, 'a', 'x'));
    }
    put('b/deep/.git');
    process.kill(watching, 'SIGCONT');
    expect(await found()).toEqual(['file b/deep/.git']);
  },
);

function watchingProcess(): number {
  const pid = readdirSync('/proc').find((each) => /^\d+$/.test(each) && watches(each));
  if (pid === undefined) throw new Error('Nobody watches the root');
  return Number(pid);
}

function watches(pid: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith(`${launcher}\0--watch\0${root}\0`);
  } catch {
    return false;
  }
}

test('protecting() takes the folder of a link, and of a name that is not text', () => {
  expect(protecting({ path: '/p/.git', kind: 'file' })).toBe('/p/.git');
  expect(protecting({ path: '/p/a/.git', kind: 'link' })).toBe('/p/a');
  expect(protecting({ path: '/p/a/\uFFFD\uFFFDx/.git', kind: 'folder' })).toBe('/p/a');
});
