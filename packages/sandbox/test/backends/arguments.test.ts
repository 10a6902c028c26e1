import { describe, expect, test } from 'vitest';
import { bubblewrapArguments, selfMounts } from '../../src/backends/bubblewrap-arguments.js';
import { carve } from '../../src/backends/carve.js';
import { landlockNarrowing, launcherPlan } from '../../src/backends/landlock-plan.js';
import { seatbeltProfile } from '../../src/backends/seatbelt-profile.js';
import type { SandboxPlan } from '../../src/plan/plan.js';

const PLAN: SandboxPlan = {
  level: 'strict',
  readsEverything: false,
  paths: [
    { path: '/dev/null', access: 'device', why: 'device' },
    { path: '/etc', access: 'read', why: 'system' },
    { path: '/p', access: 'write', why: 'root' },
    { path: '/p/inner', access: 'write', why: 'root' },
    { path: '/p/locked', access: 'read', why: 'root' },
  ],
  links: [{ path: '/bin', target: 'usr/bin' }],
  hidden: [
    { path: '/etc/shadow', kind: 'file', why: 'credential' },
    { path: '/home/ada/.ssh', kind: 'directory', why: 'credential' },
    { path: '/p/secret', kind: 'directory', why: 'rule' },
  ],
  fixed: ['/p/.rootward.json'],
  fixedRoots: [],
  locked: ['/p/notes'],
  network: false,
  home: '/home/ada',
  homeLinks: [],
};
const shared = { path: '/s', emptyFile: '/s/file', emptyFolder: '/s/folder' };
const folder = { path: '/s/child', remove: () => Promise.resolve() };
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the arguments need its paths alone
const PLACE = { folder, shared: shared as never };

function options(plan: SandboxPlan): string {
  return bubblewrapArguments(plan, PLACE, { self: selfMounts(plan, PLACE) }).join(' ');
}

describe('bubblewrapArguments()', () => {
  test('isolates everything and drops every capability', () => {
    for (const option of [
      '--die-with-parent',
      '--new-session',
      '--unshare-pid',
      '--unshare-ipc',
      '--unshare-net',
    ]) {
      expect(options(PLAN)).toContain(option);
    }
    expect(options(PLAN)).toContain('--cap-drop ALL');
    expect(options({ ...PLAN, network: true })).not.toContain('--unshare-net');
  });

  test('mounts folders before what is in them, and nothing twice', () => {
    const text = options(PLAN);
    const order = [
      '--bind /p /p',
      '--ro-bind-try /p/.rootward.json',
      '--ro-bind /p/locked /p/locked',
      '--ro-bind-try /p/notes',
    ];
    expect(order.map((part) => text.indexOf(part))).toEqual(
      order.map((part) => text.indexOf(part)).sort((a, b) => a - b),
    );
    expect(order.every((part) => text.includes(part))).toBe(true);
    expect(text).not.toContain('/p/inner');
  });

  test('hides what is in view, and leaves alone what is not there anyway', () => {
    expect(options(PLAN)).toContain('--ro-bind /s/file /etc/shadow');
    expect(options(PLAN)).toContain('--ro-bind /s/folder /p/secret');
    expect(options(PLAN)).not.toContain('/home/ada/.ssh');
    expect(options({ ...PLAN, readsEverything: true })).toContain('--ro-bind /s/folder /home/ada/.ssh');
  });

  test('keeps a place for a root inside a hidden folder', () => {
    const inside: SandboxPlan = {
      ...PLAN,
      readsEverything: true,
      paths: [...PLAN.paths, { path: '/home/ada/.ssh/project', access: 'write', why: 'root' }],
    };
    expect(options(inside)).toContain('--tmpfs /home/ada/.ssh --bind /home/ada/.ssh/project');
  });

  test('pins each folder between a writable one and what is protected in it', () => {
    const hidden = [{ path: '/p/a/b/secret', kind: 'file', why: 'rule' }] as const;
    const plan = { ...PLAN, hidden, fixed: ['/p/c/.git', '/p/locked/x/.git'] };
    expect(selfMounts(plan, PLACE)).toEqual([
      { path: '/p/a', as: 'pin' },
      { path: '/p/a/b', as: 'pin' },
      { path: '/p/c', as: 'pin' },
      { path: '/p/c/.git', as: 'fix' },
      { path: '/p/locked/x/.git', as: 'fix' },
      { path: '/p/notes', as: 'fix' },
    ]);
    const text = options(plan);
    expect(text).toContain('--bind-try /p/a /p/a --bind-try /p/a/b /p/a/b --ro-bind /s/file /p/a/b/secret');
  });

  test('leaves what is mounted onto itself to the launcher', () => {
    const text = bubblewrapArguments(PLAN, PLACE, { self: [], launcher: '/opt/x/launcher' }).join(' ');
    expect(text).toContain('--ro-bind /opt/x/launcher /opt/x/launcher');
    expect(text).not.toContain('/p/.rootward.json');
  });

  test('refuses more protected paths than bubblewrap can mount in time', () => {
    const fixed = Array.from({ length: 501 }, (_, index) => `/p/${index}`);
    expect(() => options({ ...PLAN, fixed, locked: [] })).toThrow('Cannot protect 501 files and folders');
  });

  test('refuses more hidden paths than bubblewrap takes', () => {
    const hidden = Array.from(
      { length: 2001 },
      (_, index) => ({ path: `/p/${index}`, kind: 'file', why: 'rule' }) as const,
    );
    expect(() => options({ ...PLAN, hidden })).toThrow('Cannot hide 2001 files and folders');
  });
});

const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  '/': ['etc', 'home', 'opt', 'proc', 'dev'],
  '/etc': ['hosts', 'shadow'],
  '/home': ['ada', 'bob'],
  '/p': ['.rootward.json', 'inner', 'notes', 'src'],
  '/p/src': ['a.ts', 'lib'],
};

function list(path: string): readonly string[] {
  return FOLDERS[path] ?? [];
}

test('landlockNarrowing() says where nothing can be made, and which folder is read-only', () => {
  const plan = { ...PLAN, locked: [] };
  expect(landlockNarrowing({ ...plan, fixed: [] })).toBeUndefined();
  expect(landlockNarrowing(plan)).toBe(
    'With Landlock nothing can be made, renamed or removed directly in "/p", because something protected is there',
  );
  expect(landlockNarrowing({ ...plan, fixed: ['/p/a/b/.git'] })).toContain('in "/p" and 2 other folders');
  const many = Array.from({ length: 100 }, (_, index) => `/p/${index}/.git`);
  expect(landlockNarrowing({ ...plan, fixed: many })).toBe(
    'With Landlock "/p" is read-only, because more than 100 folders in it hold something protected',
  );
});

describe('launcherPlan()', () => {
  const FACTS = { descriptors: [7], parent: 42, filter: Buffer.from([1, 255]) };
  const records = (plan: SandboxPlan): readonly string[] =>
    launcherPlan(plan, FACTS, { carve: (path, without) => carve(path, without, list) }, list)
      .toString()
      .split('\0')
      .slice(0, -1);

  test('lists what is allowed, descriptors, parent and filter', () => {
    expect(records({ ...PLAN, hidden: [], fixed: [], locked: [] })).toEqual([
      'd/dev/null',
      'r/etc',
      'w/p',
      'w/p/inner',
      'r/p/locked',
      'r/proc',
      'k7',
      'p42',
      'f01ff',
    ]);
    expect(records({ ...PLAN, network: true })).toContain('n');
  });

  test('allows everything around what is hidden', () => {
    expect(records(PLAN)).toEqual(expect.arrayContaining(['r/etc/hosts', 'r/p']));
    expect(records(PLAN)).not.toContain('r/etc');
    expect(records(PLAN)).not.toContain('r/etc/shadow');
  });

  test('lets everything around what is fixed be changed, and its folders only be read', () => {
    const fixed = ['/p/.rootward.json', '/p/src/lib'];
    const given = records({ ...PLAN, hidden: [], fixed, locked: [] }).filter((each) =>
      /^.\/p(?:\/|$)/.test(each),
    );
    expect(given).toEqual(['r/p', 'w/p/inner', 'w/p/notes', 'w/p/src/a.ts', 'w/p/inner', 'r/p/locked']);
  });

  test('makes a root read-only that has something fixed in too many folders', () => {
    const fixed = Array.from({ length: 101 }, (_, index) => `/p/src/${index}/.git`);
    const given = records({ ...PLAN, hidden: [], fixed, locked: [] });
    expect(given.filter((each) => each.startsWith('w'))).toEqual(['w/p/inner']);
  });

  test('leaves credentials in a root out, and what Rootward keeps', () => {
    const hidden = [
      { path: '/p/src', kind: 'directory', why: 'credential' },
      { path: '/p/notes', kind: 'directory', why: 'kept' },
    ] as const;
    const given = records({ ...PLAN, hidden, fixed: [], locked: [] });
    for (const absent of ['w/p', 'r/p', 'w/p/src', 'w/p/notes']) expect(given).not.toContain(absent);
    expect(given).toContain('w/p/inner');
  });

  test('leaves the home directory out where everything else may be read', () => {
    const everything = records({ ...PLAN, readsEverything: true });
    expect(everything).toEqual(expect.arrayContaining(['r/opt', 'r/home/bob', 'r/etc/hosts', 'd/dev/null']));
    for (const absent of ['r/home', 'r/home/ada', 'r/dev', 'r/']) expect(everything).not.toContain(absent);
  });
});

describe('carve()', () => {
  test('is the folder itself, or nothing', () => {
    expect(carve('/a', ['/b'])).toEqual(['/a']);
    expect(carve('/a/b', ['/a'])).toEqual([]);
  });
});

describe('seatbeltProfile()', () => {
  test('denies first, allows the plan, and takes out what is hidden last', () => {
    const fixed = ['/p/.rootward.json', '/p/deep/.git'];
    const lines = seatbeltProfile({ ...PLAN, fixed }, '/s/child').split('\n');
    expect(lines.slice(0, 2)).toEqual(['(version 1)', '(deny default)']);
    const order = [
      '(allow file-read* (subpath "/p"))',
      '(allow file-write* (subpath "/p"))',
      '(deny file-write* (subpath "/p/locked"))',
      '(deny file-write* (subpath "/p/.rootward.json"))',
      '(deny file-write* (subpath "/p/notes"))',
      '(deny file-read* file-write* (subpath "/p/secret"))',
      '(deny file-write-unlink (literal "/p/deep"))',
      '(allow file-read* file-write* (subpath "/s/child"))',
      '(deny network*)',
    ];
    const found = order.map((line) => lines.indexOf(line));
    expect(found).not.toContain(-1);
    expect(found).toEqual([...found].sort((a, b) => a - b));
  });

  test('quotes what would end a string', () => {
    const paths = [{ path: '/p/"x\\', access: 'read', why: 'root' }] as const;
    expect(seatbeltProfile({ ...PLAN, paths }, '/s')).toContain(String.raw`(subpath "/p/\"x\\")`);
  });

  test('allows reading and the network where the level does', () => {
    const text = seatbeltProfile({ ...PLAN, readsEverything: true, network: true }, '/s');
    expect(text).toContain('(allow file-read*)');
    expect(text).toContain('(allow network*)');
  });
});
