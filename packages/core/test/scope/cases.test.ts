import { rmSync } from 'node:fs';
import type { Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { RootwardError } from '../../src/error.js';
import { linuxPlatform } from '../../src/scope/pin/linux.js';
import { portablePlatform } from '../../src/scope/pin/portable.js';
import type { Platform } from '../../src/scope/pin/pin.js';
import { Scope } from '../../src/scope/scope.js';
import { addFifo, addSocket, fingerprintOutside, makeCasesTree, type CasesTree } from './cases-tree.js';
import { rootAt } from './fixture.js';

type Use = (scope: Scope, path: string) => unknown;

async function drain(entries: AsyncIterable<unknown>): Promise<void> {
  for await (const entry of entries) expect(entry).toBeDefined();
}

const READ_FILE: Record<string, Use> = {
  open: async (scope, path) => (await scope.open(path)).close(),
  readText: (scope, path) => scope.readText(path),
  readBytes: (scope, path) => scope.readBytes(path),
  stat: (scope, path) => scope.stat(path),
  'copy from': (scope, path) => scope.copy(path, 'copy.txt'),
};

const CHANGE_FILE: Record<string, Use> = {
  'open to write': async (scope, path) => (await scope.open(path, { access: 'read-write' })).close(),
  'write over': (scope, path) => scope.write(path, 'changed'),
  'append to': (scope, path) => scope.write(path, 'more', { mode: 'append' }),
};

const READ_DIRECTORY: Record<string, Use> = {
  stat: (scope, path) => scope.stat(path),
  list: (scope, path) => scope.list(path, { stats: true }),
  walk: (scope, path) => drain(scope.walk(path)),
  'walk with gitignore': (scope, path) => drain(scope.walk(path, { gitignore: true })),
};

const USE_DIRECTORY: Record<string, Use> = {
  ...READ_DIRECTORY,
  'mkdir recursive of': (scope, path) => scope.mkdir(path, { recursive: true }),
  'write new in': (scope, path) => scope.write(`${path}/new.txt`, 'new', { mode: 'new' }),
  'write in': (scope, path) => scope.write(`${path}/new.txt`, 'new'),
  'append in': (scope, path) => scope.write(`${path}/new.txt`, 'new', { mode: 'append' }),
  'mkdir in': (scope, path) => scope.mkdir(`${path}/new`),
  'mkdir recursive in': (scope, path) => scope.mkdir(`${path}/new/er`, { recursive: true }),
  'copy into': (scope, path) => scope.copy('file.txt', `${path}/copied.txt`),
  'move into': (scope, path) => scope.rename('file.txt', `${path}/moved.txt`),
};

/** Operations on an entry itself: a final link is moved or removed, not followed. */
const ENTRY: Record<string, Use> = {
  'move from': (scope, path) => scope.rename(path, 'moved'),
  remove: (scope, path) => scope.remove(path),
  'remove recursive': (scope, path) => scope.remove(path, { recursive: true }),
};

const ALLOWED_FILES = (tree: CasesTree): Record<string, string> => ({
  'a plain file': 'file.txt',
  'a nested file': 'dir/deep/x.txt',
  'an absolute path': join(tree.inside, 'file.txt'),
  'a file URI': `file://${tree.inside}/dir/nested.txt`,
  'a link to a file inside': 'link-file',
  'a file behind a link to a folder inside': 'link-dir/nested.txt',
  'a file behind a link that ends in a slash': 'link-slash/nested.txt',
  'a file behind a link that ends in a dot': 'link-dot/nested.txt',
  'a file behind an absolute link inside': 'link-absolute/nested.txt',
  'a file behind a link that leaves and comes back': 'link-out-and-back/nested.txt',
  'a file behind a chain of links': 'chain-1/nested.txt',
  'a path with ./': './dir/./nested.txt',
  'a path with double slashes': 'dir//nested.txt',
  'a path with .. that stays inside': 'dir/../file.txt',
  '.. after a link, resolved physically': 'far/../nested.txt',
});

const ALLOWED_DIRECTORIES = (tree: CasesTree): Record<string, string> => ({
  'the root itself': '.',
  'the absolute root': tree.inside,
  'the root with a trailing slash': `${tree.inside}/`,
  'the root by a name below it': 'dir/..',
  'a folder': 'dir',
  'a folder with a trailing slash': 'dir/',
  'a folder with a trailing dot': 'dir/.',
  'a link to a folder inside': 'link-dir',
  'a link that ends in a slash': 'link-slash',
  'a link with a trailing slash': 'link-dir/',
  'a chain of links': 'chain-1',
  'a link that leaves and comes back': 'link-out-and-back',
});

const REFUSED_FILES = (tree: CasesTree): Record<string, string> => ({
  'a file above': '../outside/secret.txt',
  'a file above, from below': 'dir/../../outside/secret.txt',
  'an absolute path outside': join(tree.outside, 'secret.txt'),
  'a file URI outside': `file://${tree.outside}/secret.txt`,
  'a file URI of another machine': `file://elsewhere${tree.inside}/file.txt`,
  'a link to ..': 'escape-up/outside/secret.txt',
  'a link to a file outside': 'escape-file',
  'a link to a file outside with a trailing slash': 'escape-file/',
  'a file behind a link to outside': 'escape-dir/secret.txt',
  'a file behind a chain to outside': 'escape-chain/secret.txt',
  'a cycle of links': 'cycle-a',
  'a file behind a cycle': 'cycle-a/file.txt',
  'the empty path': '',
  'a NUL character': 'file.txt\0',
  'a missing folder': 'missing/file.txt',
  'a file with a trailing slash': 'file.txt/',
  'a file with a trailing dot': 'file.txt/.',
  'a file used as a folder': 'file.txt/x',
  'a file used as a folder, and back': 'file.txt/../file.txt',
  'the process root': `/proc/self/root${tree.inside}/file.txt`,
  'a link to the process root': `proc-root${tree.outside}/secret.txt`,
  'a link to the process folder': 'proc-cwd/package.json',
  'a sibling that shares a prefix': `${tree.inside}2/secret.txt`,
  'a sibling that is a prefix': join(tree.base, 'insid', 'secret.txt'),
  'a sibling ending in a quote': `${tree.inside}'/secret.txt`,
  'a sibling ending in a double quote': `${tree.inside}"/secret.txt`,
  'a sibling ending in a blank': `${tree.inside} /secret.txt`,
  'a dangling link': 'dangling',
  'a chain of dangling links': 'dangling-chain',
  'a dangling link to outside': 'escape-missing',
  'a FIFO': 'fifo',
  'a FIFO with a trailing slash': 'fifo/',
  'a FIFO with a trailing dot': 'fifo/.',
  'a socket': 'socket',
  'a device': '/dev/null',
  'a link to a device': 'dev-null',
  'an open descriptor': '/dev/fd/0',
});

const REFUSED_DIRECTORIES = (tree: CasesTree): Record<string, string> => ({
  'the folder above': '..',
  'the folder above, from below': 'dir/../..',
  'a folder outside': tree.outside,
  'a link to ..': 'escape-up',
  'a link to ..with a trailing slash': 'escape-up/',
  'a link to outside': 'escape-dir',
  'a link to outside with a trailing slash': 'escape-dir/',
  'a link to outside with a trailing dot': 'escape-dir/.',
  'a folder behind a link to outside': 'escape-dir/dir',
  'a chain to outside': 'escape-chain',
  'a cycle of links': 'cycle-a/x',
  'a sibling that shares a prefix': `${tree.inside}2`,
  'a sibling ending in a blank': `${tree.inside} `,
  'a dangling link': 'dangling',
  'a dangling link to outside': 'escape-missing',
  'a link to the process root': 'proc-root',
  'a link to the process folder': 'proc-cwd',
  'the process root': '/proc/self/root',
  'a FIFO': 'fifo',
});

const REFUSED_ENTRIES = (tree: CasesTree): Record<string, string> => ({
  'the root itself': tree.inside,
  'the root by a dot': '.',
  'the root by a name below it': 'dir/..',
  'an entry above': '../outside/secret.txt',
  'an entry outside': join(tree.outside, 'secret.txt'),
  'an entry behind a link to outside': 'escape-dir/secret.txt',
  'a folder behind a link to outside': 'escape-dir/dir',
  'an entry behind a link to ..': 'escape-up/outside/secret.txt',
  'a link to outside with a trailing slash': 'escape-dir/',
  'an entry of a sibling': `${tree.inside}2/secret.txt`,
  'a missing entry': 'missing',
  'the empty path': '',
  'a device': '/dev/null',
});

const CONTAINED = (tree: CasesTree): Record<string, string> => ({
  ...ALLOWED_FILES(tree),
  ...ALLOWED_DIRECTORIES(tree),
  'a child that does not exist yet': 'new.txt',
  'a grandchild that does not exist yet': 'new/er/est.txt',
  'a missing child behind a link inside': 'link-dir/new.txt',
});

const NOT_CONTAINED = (tree: CasesTree): Record<string, string> => ({
  'a sibling that shares a prefix': `${tree.inside}2`,
  'a missing sibling that shares a prefix': `${tree.inside}-missing`,
  'the folder above': '..',
  'a path above': 'dir/../../outside',
  'a link that leads out': 'escape-dir',
  'a link that leads out, with a missing tail': 'escape-dir/missing/more',
  'a dangling link that leads out': 'escape-missing',
  'a dangling link': 'dangling',
  'the empty string': '',
  'a missing folder and back': 'missing/../file.txt',
  'a file used as a folder': 'file.txt/x',
  'the process root': `/proc/self/root${tree.inside}/file.txt`,
});

interface PlatformCase {
  readonly name: string;
  readonly platform: Platform | undefined;
}

const PLATFORMS: PlatformCase[] = [
  { name: 'race-free', platform: process.platform === 'linux' ? linuxPlatform() : undefined },
  { name: 'portable', platform: portablePlatform() },
];

/** Only the labels: the paths depend on a tree that is made for each test. */
const PLACEHOLDER: CasesTree = { base: '', inside: '', outside: '' };

const ONLY_READS: ReadonlySet<string> = new Set([
  ...Object.keys(READ_DIRECTORY),
  'readText',
  'readBytes',
  'locate',
]);

describe.each(PLATFORMS)('Scope on the $name platform', ({ platform }) => {
  let tree: CasesTree;
  let scope: Scope;
  let before: Record<string, string>;
  let server: Server | undefined;
  /** What refuses or only reads leaves the tree as it was, so the next test may have it: making one takes its time. */
  let used = true;

  const discard = async (): Promise<void> => {
    if (server !== undefined) await new Promise((resolve) => server?.close(resolve));
    server = undefined;
    if (tree !== undefined) rmSync(tree.base, { recursive: true, force: true });
  };

  beforeEach(async () => {
    if (!used) return;
    await discard();
    used = false;
    tree = makeCasesTree();
    before = fingerprintOutside(tree);
    scope = new Scope({ roots: [rootAt(tree.inside)], ...(platform === undefined ? {} : { platform }) });
  });

  afterEach(() => {
    const after = fingerprintOutside(tree);
    if (JSON.stringify(after) !== JSON.stringify(before)) used = true;
    expect(after).toEqual(before);
  });

  afterAll(discard);

  const allows = async (use: Use, path: string): Promise<void> => {
    await use(scope, path);
  };

  const refuses = async (use: Use, path: string): Promise<void> => {
    const outcome = await Promise.resolve()
      .then(() => use(scope, path))
      .then(
        () => 'allowed',
        (error: unknown) => error,
      );
    expect(outcome).toBeInstanceOf(RootwardError);
  };

  const each = (
    title: string,
    operations: Record<string, Use>,
    cases: (tree: CasesTree) => Record<string, string>,
    check: (use: Use, path: string) => Promise<void>,
  ): void => {
    const rows = Object.keys(cases(PLACEHOLDER)).flatMap((label) =>
      Object.keys(operations).map((operation) => ({ label, operation })),
    );
    test.skipIf(platform === undefined).each(rows)(
      `${title}: $operation $label`,
      async ({ label, operation }) => {
        if (label === 'a socket') server ??= await addSocket(tree);
        if (label.includes('FIFO')) addFifo(tree);
        used = check === allows && !ONLY_READS.has(operation);
        await check(operations[operation]!, cases(tree)[label]!);
      },
    );
  };

  each(
    'allows',
    { ...READ_FILE, ...CHANGE_FILE, 'move from': ENTRY['move from']!, remove: ENTRY['remove']! },
    ALLOWED_FILES,
    allows,
  );
  each('allows', USE_DIRECTORY, ALLOWED_DIRECTORIES, allows);
  each('refuses', { ...READ_FILE, ...CHANGE_FILE }, REFUSED_FILES, refuses);
  each('refuses', USE_DIRECTORY, REFUSED_DIRECTORIES, refuses);
  each('refuses', ENTRY, REFUSED_ENTRIES, refuses);
  each('refuses', { contains: (subject, path) => subject.locate(path) }, NOT_CONTAINED, refuses);
  each('allows', { locate: (subject, path) => subject.locate(path) }, CONTAINED, allows);

  test.skipIf(platform === undefined).each(Object.keys(CONTAINED(PLACEHOLDER)))('contains() %s', (label) => {
    expect(scope.contains(CONTAINED(tree)[label]!)).toBe(true);
  });

  test.skipIf(platform === undefined).each(Object.keys(NOT_CONTAINED(PLACEHOLDER)))(
    'does not contain() %s',
    (label) => {
      expect(scope.contains(NOT_CONTAINED(tree)[label]!)).toBe(false);
    },
  );

  test
    .skipIf(platform === undefined)
    .each(['list', 'walk', 'write in', 'mkdir in', 'copy into', 'move into'])(
    'refuses: %s a file',
    (operation) => refuses(USE_DIRECTORY[operation]!, 'dir/nested.txt'),
  );

  test.skipIf(platform === undefined)(
    'moving and removing a link leaves what it leads to alone',
    async () => {
      used = true;
      await scope.rename('escape-file', 'renamed-link');
      await scope.remove('renamed-link');
      await scope.remove('escape-dir', { recursive: true });
    },
  );

  test.skipIf(platform === undefined)(
    'listings show a link without the size of what it leads to',
    async () => {
      const entries = await scope.list('.', { stats: true });
      expect(entries.find((entry) => entry.name === 'escape-file')).toEqual({
        name: 'escape-file',
        kind: 'link',
      });
    },
  );

  test.skipIf(platform === undefined)(
    'glob characters in the name of a root are plain characters',
    async () => {
      const bracketed = new Scope({
        roots: [rootAt(join(tree.base, 'root[1]'))],
        rules: { deny: ['*.key'] },
      });
      expect((await bracketed.readText('secret.txt')).text).toBe('secret');
      expect(bracketed.contains(join(tree.base, 'root1', 'secret.txt'))).toBe(false);
    },
  );

  test.skipIf(platform === undefined)(
    'another letter case is another path on a case-sensitive disk',
    async ({ skip }) => {
      const { existsSync } = await import('node:fs');
      if (existsSync(join(tree.inside, 'FILE.TXT'))) skip();
      await refuses((subject, path) => subject.readText(path), 'FILE.TXT');
      await refuses((subject, path) => subject.list(path), tree.inside.toUpperCase());
    },
  );
});

describe('Scope with zero roots', () => {
  const operations: Record<string, Use> = {
    ...READ_FILE,
    ...CHANGE_FILE,
    ...USE_DIRECTORY,
    ...ENTRY,
    locate: (scope, path) => scope.locate(path),
  };

  test.each(Object.keys(operations))('refuses to %s', async (operation) => {
    const scope = new Scope({ roots: [] });
    await expect(async () => operations[operation]!(scope, '/')).rejects.toMatchObject({ code: 'no-roots' });
    expect(scope.contains('/')).toBe(false);
  });
});
