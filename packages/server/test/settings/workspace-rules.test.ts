import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createWorkspace, type LogFields, type Scope, type Workspace } from '@rootward/core';
import { afterAll, describe, expect, test } from 'vitest';
import { findBrokenRules, readWorkspaceRules, ScopeMaker } from '../../src/settings/workspace-rules.js';

const top = realpathSync(mkdtempSync(join(tmpdir(), 'rootward-rules-')));
afterAll(() => rmSync(top, { recursive: true }));
let count = 0;

function makeRoot(rules?: unknown): string {
  const root = join(top, String(count++));
  mkdirSync(root);
  writeFileSync(join(root, 'open.txt'), 'open');
  writeFileSync(join(root, 'secret.txt'), 'secret');
  if (rules !== undefined) {
    writeFileSync(join(root, '.rootward.json'), typeof rules === 'string' ? rules : JSON.stringify(rules));
  }
  return root;
}

interface Opened {
  readonly workspace: Workspace;
  readonly scope: Scope;
  readonly warnings: readonly (LogFields | undefined)[];
}

async function open(roots: readonly string[], deny: readonly string[] = []): Promise<Opened> {
  const warnings: (LogFields | undefined)[] = [];
  const log = {
    debug() {},
    info() {},
    warn: (_text: string, fields?: LogFields) => void warnings.push(fields),
  };
  const createScope = new ScopeMaker({ rules: { deny }, log }).create;
  const workspace = await createWorkspace({ roots, environment: {}, home: '/nowhere', createScope });
  return { workspace, scope: workspace.scope(), warnings };
}

describe('ScopeMaker', () => {
  test('applies the deny globs of a root to that root only', async () => {
    const [strict, free] = [makeRoot({ deny: ['secret*'] }), makeRoot()];
    const { scope } = await open([strict, free]);
    await expect(scope.readText(join(strict, 'secret.txt'))).rejects.toMatchObject({ code: 'denied' });
    expect((await scope.readText(join(strict, 'open.txt'))).text).toBe('open');
    expect((await scope.readText(join(free, 'secret.txt'))).text).toBe('secret');
  });

  test('makes a root read-only that says so', async () => {
    const [strict, free] = [makeRoot({ readOnly: true }), makeRoot()];
    const { scope } = await open([strict, free]);
    await expect(scope.write(join(strict, 'new.txt'), 'x')).rejects.toMatchObject({ code: 'read-only' });
    await scope.write(join(free, 'new.txt'), 'x');
  });

  test('lets a root lift nothing the operator denies', async () => {
    const root = makeRoot({ deny: [], readOnly: false, categories: { any: {} } });
    const { scope, warnings } = await open([root], ['secret*']);
    await expect(scope.readText(join(root, 'secret.txt'))).rejects.toMatchObject({ code: 'denied' });
    expect(warnings).toEqual([]);
  });

  test.each([
    ['broken JSON', '{'],
    ['a list', '[]'],
    ['a glob that takes hours', { deny: ['+(+(+(a)))'] }],
    ['a glob that is not one', { deny: ['['] }],
    ['a text where a list is expected', { deny: 'secret*' }],
    ['too many globs', { deny: Array.from({ length: 1001 }, (_, index) => `${index}`) }],
    ['too many bytes', JSON.stringify({ deny: ['x'.repeat(70_000)] })],
  ])('refuses everything but the file, and says so, when a rules file has %s', async (_what, rules) => {
    const root = makeRoot(rules);
    const { workspace, scope, warnings } = await open([root]);
    const refused = { code: 'rules-unreadable' };
    await expect(scope.readText(join(root, 'open.txt'))).rejects.toMatchObject(refused);
    await expect(scope.write(join(root, 'new.txt'), 'x')).rejects.toMatchObject(refused);
    await expect(scope.list(root)).rejects.toMatchObject(refused);
    expect((await scope.readText(join(root, '.rootward.json'))).text).not.toBe('');
    expect(warnings).toHaveLength(1);
    expect(JSON.stringify(warnings)).not.toContain(root);
    expect(findBrokenRules(workspace.snapshot().roots)).toHaveLength(1);
  });

  test.each([
    ['roots', { deny: ['secret*'], roots: ['/'] }],
    ['a category that is none', { deny: ['secret*'], categories: 3 }],
  ])('keeps what can be read of a rules file that has %s', async (_what, rules) => {
    const root = makeRoot(rules);
    const { scope, warnings } = await open([root]);
    await expect(scope.readText(join(root, 'secret.txt'))).rejects.toMatchObject({ code: 'denied' });
    expect((await scope.readText(join(root, 'open.txt'))).text).toBe('open');
    expect(warnings).toHaveLength(1);
  });

  test('refuses everything where the settings of the user cannot be read', async () => {
    const root = makeRoot();
    const log = { debug() {}, info() {}, warn() {} };
    const broken = { file: '/nowhere/app.json', reading: { problem: 'it is not JSON' } };
    const createScope = new ScopeMaker({ rules: {}, log, userRules: () => () => [broken] }).create;
    using workspace = await createWorkspace({
      roots: [root],
      environment: {},
      home: '/nowhere',
      createScope,
    });
    const reading = workspace.scope().readText(join(root, 'open.txt'));
    await expect(reading).rejects.toMatchObject({ code: 'rules-unreadable' });
  });

  test('makes one scope for the same roots within half a minute, and another one after that', async () => {
    const [root, other] = [makeRoot(), makeRoot()];
    let now = 0;
    const log = { debug() {}, info() {}, warn() {} };
    const createScope = new ScopeMaker({ rules: {}, log, now: () => now }).create;
    using workspace = await createWorkspace({ roots: [root], environment: {}, home: '/nowhere' });
    using wider = await createWorkspace({ roots: [root, other], environment: {}, home: '/nowhere' });
    const snapshot = workspace.snapshot();
    const scope = createScope(snapshot);
    expect(createScope(snapshot)).toBe(scope);
    expect(createScope(wider.snapshot())).not.toBe(scope);
    expect(createScope({ ...snapshot, roots: snapshot.roots, fence: { ...snapshot.fence } })).not.toBe(scope);
    const shared = createScope(snapshot);
    now += 30_000;
    expect(createScope(snapshot)).not.toBe(shared);
  });

  test('makes another scope at once where a root has become read-only, or users keep rules elsewhere', async () => {
    const root = makeRoot();
    const log = { debug() {}, info() {}, warn() {} };
    let userRules: (() => []) | undefined;
    const createScope = new ScopeMaker({ rules: {}, log, now: () => 0, userRules: () => userRules }).create;
    using workspace = await createWorkspace({ roots: [root], environment: {}, home: '/nowhere' });
    const scope = createScope(workspace.snapshot());
    writeFileSync(join(root, '.rootward.json'), JSON.stringify({ readOnly: true }));
    const stricter = createScope(workspace.snapshot());
    expect(stricter).not.toBe(scope);
    expect(stricter.roots.map(({ access }) => access)).toEqual(['read-only']);
    userRules = () => [];
    expect(createScope(workspace.snapshot())).not.toBe(createScope(workspace.snapshot()));
  });

  test('does not follow a link, and shows nothing of what it leads to', async () => {
    const root = makeRoot();
    writeFileSync(join(top, 'elsewhere.json'), JSON.stringify({ password: 'hunter2' }));
    symlinkSync(join(top, 'elsewhere.json'), join(root, '.rootward.json'));
    const { warnings } = await open([root]);
    expect(warnings).toEqual([{ problem: 'it is a link' }]);
  });

  test.runIf(process.platform !== 'win32')('does not wait for a FIFO', async () => {
    const root = makeRoot();
    execFileSync('mkfifo', [join(root, '.rootward.json')]);
    expect(readWorkspaceRules(root)).toMatchObject({
      problem: expect.stringContaining('not a regular file'),
    });
  });
});
