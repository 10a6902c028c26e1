import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MAX_ROOTS, readPathRoots, readRoots, type ReadRootsOptions } from '../../src/roots/read-roots.js';
import type { RejectionReason } from '../../src/error.js';
import type { RootList, Source } from '../../src/roots/root.js';
import { rootsDisk, type RootsDisk } from '../../src/roots/roots-disk.js';
import { pathToFileUri } from '../../src/uri/file-uri.js';
import { diskError, makeTemporaryDirectory, type TemporaryDirectory } from './roots-fixture.js';

let temporary: TemporaryDirectory;
const at = (...parts: string[]) => join(temporary.path, ...parts);
const uri = (...parts: string[]) => pathToFileUri(at(...parts));
const options = (more: Partial<ReadRootsOptions> = {}): ReadRootsOptions => ({
  source: 'client',
  home: at('home', 'u'),
  ...more,
});
const paths = (list: RootList) => list.roots.map((root) => root.path);
const reasons = (list: RootList) => list.rejected.map((rejection) => rejection.reason);
const accesses = (list: RootList) => Object.fromEntries(list.roots.map(({ path, access }) => [path, access]));
const broadEntries = () => [{ uri: uri('home', 'u') }, { uri: uri('home') }, { uri: uri('link-home') }];
const ceiling = () => [at('limit', 'x'), at('limit', 'y')];
const readPath = (path: string, more: Partial<ReadRootsOptions> = {}) =>
  readPathRoots([{ path }], options({ source: 'flag', ...more }));

beforeAll(async () => {
  temporary = await makeTemporaryDirectory();
  for (const name of ['a', 'a/nested', 'b', 'home/u/work', 'limit/x', 'limit/y', '${kept}', 'many']) {
    mkdirSync(at(name), { recursive: true });
  }
  writeFileSync(at('file.txt'), '');
  symlinkSync(at('a'), at('link-to-a'), 'junction');
  symlinkSync(at('home', 'u'), at('link-home'), 'junction');
});

afterAll(() => temporary.remove());

describe('readRoots()', () => {
  test('gives each root its canonical path, own URI, name, kind, source and declaration', async () => {
    const list = await readRoots(
      [{ uri: uri('link-to-a'), name: 'My A' }, { uri: uri('file.txt') }],
      options(),
    );
    expect(list).toEqual({
      roots: [
        {
          uri: uri('a'),
          path: at('a'),
          name: 'My A',
          kind: 'directory',
          access: 'read-write',
          source: 'client',
          declared: uri('link-to-a'),
          broad: false,
        },
        {
          uri: uri('file.txt'),
          path: at('file.txt'),
          name: 'file.txt',
          kind: 'file',
          access: 'read-write',
          source: 'client',
          declared: uri('file.txt'),
          broad: false,
        },
      ],
      rejected: [],
    });
  });

  test('reads the good roots of a list however bad the others are', async () => {
    const bad = [null, 7, 'x', [], {}, { uri: 5 }, { uri: '' }, { uri: 'https://x' }, { uri: 'file:///%' }];
    const list = await readRoots([...bad, { uri: uri('a') }, ...bad, { uri: uri('b') }], options());
    expect(paths(list)).toEqual([at('a'), at('b')]);
    expect(list.rejected).toHaveLength(2 * bad.length);
  });

  test('keeps nested roots, in order', async () => {
    const list = await readRoots([{ uri: uri('a', 'nested') }, { uri: uri('a') }], options());
    expect(paths(list)).toEqual([at('a', 'nested'), at('a')]);
  });

  test('lets the first of two roots at one place win', async () => {
    const list = await readRoots(
      [
        { uri: uri('a'), name: '1' },
        { uri: uri('link-to-a'), name: '2' },
      ],
      options(),
    );
    expect(list.roots.map((root) => root.name)).toEqual(['1']);
    expect(list.rejected).toEqual([
      {
        declared: uri('link-to-a'),
        source: 'client',
        reason: 'duplicate',
        message: `Cannot use "${uri('link-to-a')}" as a root: an earlier root is the same place`,
      },
    ]);
  });

  test.each<[RejectionReason, () => unknown]>([
    ['malformed', () => ({ uri: '' })],
    ['malformed', () => ({ name: 'no uri' })],
    ['not-a-file-uri', () => ({ uri: '/a' })],
    ['remote-authority', () => ({ uri: 'file://host/a' })],
    ['bad-encoding', () => ({ uri: `${uri('a')}%2Fnested` })],
    ['bad-encoding', () => ({ uri: `${uri('a')}%0A` })],
    ['ambiguous', () => ({ uri: `${uri('a')}?x` })],
    ['ambiguous', () => ({ uri: `${uri('a')}#x` })],
    ['ambiguous', () => ({ uri: `${uri('file.txt')}?/x` })],
    ['not-absolute', () => ({ uri: 'file:a' })],
    ['not-found', () => ({ uri: uri('missing') })],
    ['unexpanded', () => ({ uri: '${workspaceFolder}' })],
    ['unexpanded', () => ({ uri: 'file://${workspaceFolder}' })],
    ['unexpanded', () => ({ uri: `${pathToFileUri(temporary.path)}/\${missing}` })],
    ['unexpanded', () => ({ uri: uri('${missing}') })],
  ])('rejects as %s', async (reason, entry) => {
    const list = await readRoots([entry()], options());
    expect(list.roots).toEqual([]);
    expect(list.rejected).toEqual([
      {
        declared: expect.any(String),
        source: 'client',
        reason,
        message: expect.stringMatching(/^Cannot .*[^.]$/),
      },
    ]);
  });

  test('rejects as not-readable', async () => {
    const disk: RootsDisk = {
      ...rootsDisk,
      inspect(path) {
        if (path === at('a')) throw diskError('EACCES');
        return rootsDisk.inspect(path);
      },
    };
    const list = await readRoots([{ uri: uri('a') }, { uri: uri('b') }], options({ disk }));
    expect(paths(list)).toEqual([at('b')]);
    expect(reasons(list)).toEqual(['not-readable']);
  });

  test.skipIf(process.platform === 'win32')('rejects as not-a-directory-or-file', async () => {
    const list = await readRoots([{ uri: 'file:///dev/null' }], options());
    expect(reasons(list)).toEqual(['not-a-directory-or-file']);
  });

  test('takes a path that exists although it looks like a variable', async () => {
    expect(paths(await readRoots([{ uri: uri('${kept}') }], options()))).toEqual([at('${kept}')]);
  });

  test.skipIf(process.platform === 'win32')(
    'takes an unencoded ? or # as part of a name that exists',
    async () => {
      mkdirSync(at('what?#'));
      const list = await readRoots([{ uri: `${pathToFileUri(temporary.path)}/what?#` }], options());
      expect(list.roots).toMatchObject([{ path: at('what?#'), uri: uri('what?#'), name: 'what?#' }]);
    },
  );

  test('counts what lies beyond the limit in one rejection, without reading it', async () => {
    const disk: RootsDisk = { realpath: async (path) => path, inspect: () => 'directory' };
    const entries = Array.from({ length: MAX_ROOTS + 3 }, (_, index) => ({ uri: `file:///r${index}` }));
    const list = await readRoots(entries, options({ disk, style: 'posix' }));
    expect(list.roots).toHaveLength(MAX_ROOTS);
    expect(list.rejected).toEqual([
      {
        declared: '3 more',
        source: 'client',
        reason: 'too-many',
        message: `Cannot read 3 more roots: at most ${MAX_ROOTS} are read`,
      },
    ]);
  });

  test('reads 5,000 directories', async () => {
    const names = Array.from({ length: 5000 }, (_, index) => `r${index}`);
    for (const name of names) mkdirSync(at('many', name));
    const list = await readRoots(
      names.map((name) => ({ uri: uri('many', name) })),
      options(),
    );
    expect(paths(list)).toEqual(names.map((name) => at('many', name)));
    expect(list.rejected).toEqual([]);
  });

  test('gives up at once when aborted, also while the disk hangs', async () => {
    const controller = new AbortController();
    const reason = new Error('enough');
    const disk: RootsDisk = {
      ...rootsDisk,
      realpath(path) {
        if (path !== at('a')) return rootsDisk.realpath(path);
        queueMicrotask(() => controller.abort(reason));
        return new Promise<never>(() => {});
      },
    };
    const { signal } = controller;
    await expect(readRoots([{ uri: uri('a') }], options({ disk, signal }))).rejects.toBe(reason);
    await expect(readRoots([], options({ signal }))).rejects.toBe(reason);
  });

  test('makes of any JSON list roots and rejections, and never throws', async () => {
    const entry = fc.oneof(
      fc.jsonValue(),
      fc.record({ uri: fc.string({ unit: 'binary' }), name: fc.jsonValue() }),
      fc.record({ uri: fc.string({ unit: 'binary' }).map((end) => `file:///${end}`) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(entry, { maxLength: 10 }), async (entries) => {
        const list = await readRoots(entries, options());
        expect(list.roots.length + list.rejected.length).toBe(entries.length);
      }),
      { numRuns: 200 },
    );
  });

  test('reads what windows clients send', async () => {
    const disk: RootsDisk = { realpath: async (path) => path, inspect: () => 'directory' };
    const list = await readRoots(
      [{ uri: 'file:///c%3A/work' }, { uri: 'file://D:/' }, { uri: 'C:\\work' }, { uri: 'file:///c:/Users' }],
      options({ disk, style: 'windows', home: 'C:\\Users\\u' }),
    );
    expect(list.roots).toMatchObject([
      { path: 'C:\\work', uri: 'file:///C:/work', name: 'work', broad: false },
      { path: 'D:\\', uri: 'file:///D:/', name: 'D:\\', broad: true },
      { path: 'C:\\Users', broad: true },
    ]);
    expect(reasons(list)).toEqual(['duplicate']);
  });
});

describe('a broad root', () => {
  test.each<Source>(['client', 'handle', 'consent', 'flag', 'env', 'config', 'project', 'ceiling'])(
    'is accepted from %s and marked',
    async (source) => {
      const list = await readRoots(
        [...broadEntries(), { uri: uri('home', 'u', 'work') }],
        options({ source }),
      );
      expect(list.roots.map((root) => root.broad)).toEqual([true, true, false]);
    },
  );

  test.each<Source>(['request', 'host', 'cwd'])('is rejected as too-broad from %s', async (source) => {
    const list = await readRoots([...broadEntries(), { uri: uri('home', 'u', 'work') }], options({ source }));
    expect(paths(list)).toEqual([at('home', 'u', 'work')]);
    expect(reasons(list)).toEqual(['too-broad', 'too-broad', 'too-broad']);
  });

  test('is recognised when the home directory is given through a link', async () => {
    const list = await readRoots([{ uri: uri('home', 'u') }], options({ home: at('link-home') }));
    expect(list.roots).toMatchObject([{ broad: true }]);
  });

  test('is recognised when the home directory does not exist', async () => {
    const list = await readRoots([{ uri: uri('a') }], options({ home: at('a', 'gone') }));
    expect(list.roots).toMatchObject([{ broad: true }]);
  });

  test.skipIf(process.platform === 'win32')('can be the whole disk, which is its own name', async () => {
    const list = await readRoots([{ uri: 'file:///' }], options({ home: '' }));
    expect(list.roots).toMatchObject([{ path: '/', name: '/', uri: 'file:///', broad: true }]);
  });
});

describe('a place that is named twice', () => {
  test('keeps its first name and is read-only if it is so once', async () => {
    const entries = [
      { path: at('a'), name: 'first' },
      { path: at('b') },
      { path: at('link-to-a'), name: 'second', access: 'read-only' as const },
    ];
    const list = await readPathRoots(entries, options({ source: 'config' }));
    expect(accesses(list)).toEqual({ [at('a')]: 'read-only', [at('b')]: 'read-write' });
    expect(list.roots[0]?.name).toBe('first');
    expect(reasons(list)).toEqual(['duplicate']);
  });

  test('stays read-only where a ceiling cuts a wider root to it', async () => {
    const entries = [{ path: at('limit') }, { path: at('limit', 'x'), access: 'read-only' as const }];
    for (const order of [entries, entries.toReversed()]) {
      const list = await readPathRoots(order, options({ source: 'config', ceiling: ceiling() }));
      expect(accesses(list)).toEqual({ [at('limit', 'x')]: 'read-only', [at('limit', 'y')]: 'read-write' });
    }
  });
});

describe('a ceiling', () => {
  test('leaves a root inside, with its name', async () => {
    const list = await readRoots([{ uri: uri('limit', 'x'), name: 'X' }], options({ ceiling: ceiling() }));
    expect(list.roots).toMatchObject([{ path: at('limit', 'x'), name: 'X' }]);
  });

  test('turns a wider root into the ceiling directories, which carry their own names', async () => {
    const list = await readPathRoots(
      [{ path: temporary.path, name: 'everything', access: 'read-only' }],
      options({ ceiling: ceiling(), home: at('limit', 'x', 'home'), source: 'flag' }),
    );
    const more = { kind: 'directory', access: 'read-only', source: 'flag', declared: temporary.path };
    expect(list.roots).toEqual([
      { ...more, path: at('limit', 'x'), uri: uri('limit', 'x'), name: 'x', broad: true },
      { ...more, path: at('limit', 'y'), uri: uri('limit', 'y'), name: 'y', broad: false },
    ]);
  });

  test('that names a file leaves a file of a wider root', async () => {
    const limits = [at('file.txt'), at('a')];
    const list = await readRoots([{ uri: pathToFileUri(temporary.path) }], options({ ceiling: limits }));
    expect(list.roots).toMatchObject([
      { path: at('file.txt'), kind: 'file' },
      { path: at('a'), kind: 'directory' },
    ]);
  });

  test('rejects a root beside it as outside-ceiling', async () => {
    const list = await readRoots(
      [{ uri: uri('a') }, { uri: uri('file.txt') }],
      options({ ceiling: ceiling() }),
    );
    expect(list.roots).toEqual([]);
    expect(reasons(list)).toEqual(['outside-ceiling', 'outside-ceiling']);
  });

  test('is looked at before duplicates are', async () => {
    const entries = [
      { uri: uri('limit', 'y') },
      { uri: uri('limit') },
      { uri: pathToFileUri(temporary.path) },
    ];
    const list = await readRoots(entries, options({ ceiling: ceiling() }));
    expect(paths(list)).toEqual([at('limit', 'y'), at('limit', 'x')]);
    expect(reasons(list)).toEqual(['duplicate']);
  });

  test('cuts a place that thousands of roots name once, above thousands of directories', async () => {
    const limits = Array.from({ length: 5_000 }, (_, index) => at('limit', String(index)));
    const entries = Array.from({ length: 5_000 }, () => ({ uri: uri('limit') }));
    const list = await readRoots(entries, options({ ceiling: limits }));
    expect(paths(list)).toEqual(limits);
    expect(list.rejected.length).toBe(4_999);
  });

  test('that is empty leaves nothing', async () => {
    expect(reasons(await readRoots([{ uri: uri('a') }], options({ ceiling: [] })))).toEqual([
      'outside-ceiling',
    ]);
  });
});

describe('readPathRoots()', () => {
  test('reads absolute paths, and relative ones against the base', async () => {
    const list = await readPathRoots(
      [{ path: at('a') }, { path: 'b', name: 'B', access: 'read-only' }, { path: './file.txt' }],
      options({ source: 'config', base: temporary.path }),
    );
    expect(list.roots).toMatchObject([
      { path: at('a'), name: 'a', access: 'read-write', source: 'config', declared: at('a') },
      { path: at('b'), name: 'B', access: 'read-only', source: 'config', declared: 'b' },
      { path: at('file.txt'), kind: 'file', declared: './file.txt' },
    ]);
  });

  test.skipIf(process.platform === 'win32')('resolves .. after a link physically', async () => {
    symlinkSync(at('home', 'u', 'work'), at('link-to-work'));
    expect(paths(await readPath('link-to-work/..', { base: temporary.path }))).toEqual([at('home', 'u')]);
  });

  test.each<[RejectionReason, string]>([
    ['malformed', ''],
    ['not-absolute', 'a'],
    ['bad-encoding', 'a\nb'],
    ['unexpanded', '${workspaceFolder}'],
  ])('rejects as %s the path %j without a base', async (reason, path) => {
    expect(reasons(await readPath(path))).toEqual([reason]);
  });

  test('rejects a variable only if there is no such path', async () => {
    expect(reasons(await readPath('${missing}', { base: temporary.path }))).toEqual(['unexpanded']);
    expect(paths(await readPath('${kept}', { base: temporary.path }))).toEqual([at('${kept}')]);
  });

  test('does not take ? and # for anything but names', async () => {
    expect(reasons(await readPath(at('missing#')))).toEqual(['not-found']);
  });
});
