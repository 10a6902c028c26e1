import { describe, expect, test } from 'vitest';
import type { HostFacts } from '../../src/plan/host-facts.js';
import { explainPlan } from '../../src/plan/explain.js';
import { makePlan, needsFull, type PlanInput, type PlannedRoot } from '../../src/plan/make-plan.js';

const HOST: HostFacts = {
  platform: 'linux',
  home: '/home/ada',
  system: ['/usr', '/etc'],
  links: [{ path: '/bin', target: 'usr/bin' }],
  devices: ['/dev/null'],
  runtimes: ['/home/ada/.nvm/versions/node/v20'],
  credentials: [
    { path: '/etc/shadow', kind: 'file', why: 'credential' },
    { path: '/home/ada/.ssh', kind: 'directory', why: 'credential' },
  ],
  resolver: ['/run/resolve/resolv.conf'],
};

function root(path: string, access: PlannedRoot['access'] = 'read-write'): PlannedRoot {
  return { path, kind: 'directory', access, broad: false };
}

function plan(input: Partial<PlanInput>): ReturnType<typeof makePlan> {
  return makePlan({ level: 'strict', roots: [root('/work/a')], host: HOST, ...input });
}

function accessOf(made: ReturnType<typeof makePlan>, path: string): string | undefined {
  return made.paths.find((each) => each.path === path)?.access;
}

function hidden(made: ReturnType<typeof makePlan>): readonly string[] {
  return made.hidden.map(({ path }) => path);
}

describe('makePlan()', () => {
  test('lets a strict child write the roots and read the system', () => {
    const made = plan({});
    expect(accessOf(made, '/work/a')).toBe('write');
    expect(accessOf(made, '/usr')).toBe('read');
    expect(accessOf(made, '/home/ada/.nvm/versions/node/v20')).toBe('read');
    expect(accessOf(made, '/home/ada')).toBeUndefined();
    expect(made.network).toBe(false);
    expect(made.readsEverything).toBe(false);
  });

  test('gives a read-only root to be read, also with everything inside it', () => {
    const made = plan({ roots: [root('/work', 'read-only'), root('/work/a'), root('/b')] });
    expect(accessOf(made, '/work')).toBe('read');
    expect(accessOf(made, '/work/a')).toBe('read');
    expect(accessOf(made, '/b')).toBe('write');
    expect(accessOf(plan({ readOnly: true }), '/work/a')).toBe('read');
  });

  test('puts folders before what is in them', () => {
    const { paths } = plan({ roots: [root('/work/a/b'), root('/work/a'), root('/work')] });
    expect(paths.map(({ path }) => path).filter((path) => path.startsWith('/work'))).toEqual([
      '/work',
      '/work/a',
      '/work/a/b',
    ]);
  });

  test('has network at level write, and at strict where it is asked for', () => {
    expect(plan({ level: 'write' }).network).toBe(true);
    expect(plan({ profile: { network: true } }).network).toBe(true);
    expect(accessOf(plan({ profile: { network: true } }), '/run/resolve/resolv.conf')).toBe('read');
  });

  test('expands named folders and links them from the private home directory', () => {
    const made = plan({ profile: { read: ['~/.gitconfig', '/data'], write: ['~/.cache/x'] } });
    expect(accessOf(made, '/home/ada/.gitconfig')).toBe('read');
    expect(accessOf(made, '/home/ada/.cache/x')).toBe('write');
    expect(accessOf(made, '/data')).toBe('read');
    expect(made.homeLinks).toEqual(['/home/ada/.gitconfig', '/home/ada/.cache/x']);
  });

  test.each(['relative', '~', '/', '/home', '../x'])('refuses to name %s', (path) => {
    expect(() => plan({ profile: { read: [path] } })).toThrow('Cannot allow');
  });

  test('hides credentials unless somebody named that very path', () => {
    expect(hidden(plan({}))).toEqual(['/etc/shadow', '/home/ada/.ssh']);
    expect(hidden(plan({ profile: { read: ['~/.ssh'] } }))).toEqual(['/etc/shadow']);
    expect(hidden(plan({ roots: [root('/home/ada/.ssh')] }))).toEqual(['/etc/shadow']);
    expect(hidden(plan({ roots: [root('/home/ada/.ssh/sub')] }))).toContain('/home/ada/.ssh');
  });

  test('keeps files that steer the fence from change where they could be changed', () => {
    const fixed = ['/work/a/.rootward.json', '/elsewhere/tools'];
    expect(plan({ fixed }).fixed).toEqual(['/work/a/.rootward.json']);
    expect(plan({ fixed, readOnly: true }).fixed).toEqual([]);
  });

  test('keeps what rules make read-only from change, also a root in it', () => {
    const made = plan({
      roots: [root('/work/a'), root('/work/b/c')],
      locked: ['/work/a/notes', '/work/b', '/other'],
    });
    expect([accessOf(made, '/work/a'), accessOf(made, '/work/b/c')]).toEqual(['write', 'read']);
    expect(made.locked).toEqual(['/work/a/notes']);
  });

  test('names roots that only something fixed makes read-only', () => {
    const roots = [root('/work/a'), root('/work/b'), root('/work/c', 'read-only'), root('/work/d')];
    const fixed = ['/work/a', '/work/b', '/work/c', '/work/d/.git'];
    const made = plan({ roots, fixed, locked: ['/work/b'] });
    expect(made.fixedRoots).toEqual(['/work/a']);
    expect(roots.map(({ path }) => accessOf(made, path))).toEqual(['read', 'read', 'read', 'write']);
    expect(made.fixed).toEqual(['/work/d/.git']);
  });

  test('hides a root that rules deny, and refuses to start in one', () => {
    const denied = [{ path: '/work/b', kind: 'directory', why: 'rule' }] as const;
    const made = plan({ roots: [root('/work/a'), root('/work/b'), root('/work/b/c')], denied });
    expect([accessOf(made, '/work/b'), accessOf(made, '/work/b/c')]).toEqual([undefined, undefined]);
    expect(hidden(made)).toContain('/work/b');
    expect(needsFull(made)).toBeUndefined();
    expect(needsFull(plan({ roots: [root('/work'), root('/work/b')], denied }))).toContain('"/work/b"');
    expect(() => plan({ roots: [root('/work/b'), root('/work/a')], denied })).toThrow(
      'Cannot make a sandbox for the root "/work/b": its rules refuse everything, or cannot be read',
    );
  });

  test('refuses a broad root', () => {
    expect(() => plan({ roots: [{ ...root('/home/ada'), broad: true }] })).toThrow(
      'Cannot make a sandbox for the root',
    );
  });
});

describe('needsFull()', () => {
  test('is undefined where allowing is enough', () => {
    expect(needsFull(plan({}))).toBeUndefined();
    expect(needsFull(plan({ roots: [root('/r', 'read-only'), root('/r/a')] }))).toBeUndefined();
    expect(needsFull(plan({ fixed: ['/work/a/.rootward.json'], locked: ['/work'] }))).toBeUndefined();
  });

  test('names a denied file inside a root', () => {
    const denied = [{ path: '/work/a/.env', kind: 'file', why: 'rule' }] as const;
    expect(needsFull(plan({ denied }))).toBe('a rule denies "/work/a/.env" inside a root');
  });

  test('names a read-only root inside a writable one', () => {
    expect(needsFull(plan({ roots: [root('/work'), root('/work/a', 'read-only')] }))).toContain('"/work/a"');
  });

  test('names what a rule makes read-only inside a writable root', () => {
    expect(needsFull(plan({ locked: ['/work/a/notes'] }))).toBe(
      'a rule makes "/work/a/notes" read-only inside a root that may be written',
    );
  });
});

describe('explainPlan()', () => {
  test('says a plan in sentences', () => {
    const denied = [{ path: '/work/a/.env', kind: 'file', why: 'rule' }] as const;
    const lines = explainPlan(
      plan({ denied, fixed: ['/work/a/.rootward.json'], locked: ['/work/a/b'] }),
      'full',
    );
    expect(lines).toEqual([
      'Level strict, guarantee full',
      'May read: /etc (system), /home/ada/.nvm/versions/node/v20 (runtime), /usr (system)',
      'May write: /work/a (root); and its private temporary folder',
      'May not read, although inside a root: /work/a/.env',
      'May not change, although inside a root: /work/a/.rootward.json, /work/a/b',
      'May not use the network',
    ]);
    expect(explainPlan(plan({ level: 'write', readOnly: true }))).toEqual([
      'Level write',
      'May read everything except credentials',
      'May write only to its private temporary folder and home directory',
      'May use the network',
    ]);
  });
});
