import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { isKeptWorkspace, readSources, Workspace, type KeptWorkspace } from '../../src/index.js';
import { FakeClock } from '../../../../testing/fake-clock.js';
import { clientNames, clientSays, connectSlowly } from './scripted-client.js';

const top = realpathSync(mkdtempSync(join(tmpdir(), 'rootward-kept-')));
afterAll(() => rmSync(top, { recursive: true, force: true }));

const uri = (path: string): string => pathToFileURL(path).href;

function folder(...names: string[]): string {
  const path = join(top, ...names);
  mkdirSync(path, { recursive: true });
  return path;
}

async function open(within?: string, clock?: FakeClock): Promise<Workspace> {
  const sources = await readSources({
    environment: {},
    home: folder('home'),
    ...(within !== undefined && { within: [within] }),
  });
  const workspace = new Workspace({ sources, limits: { spacing: 0 }, ...(clock !== undefined && { clock }) });
  workspace.clientDeclared({ roots: true });
  workspace.clientReady();
  return workspace;
}

const paths = (workspace: Workspace): readonly string[] => workspace.snapshot().roots.map(({ path }) => path);

test('restore() goes on with roots, consents and project of another workspace', async () => {
  const [one, two, agreed] = [folder('one'), folder('two'), folder('agreed')];
  using first = await open();
  await clientSays(first, { result: { roots: [{ uri: uri(one), name: 'One' }, { uri: uri(two) }] } });
  await first.grant(agreed);
  const [, root] = first.snapshot().roots;
  first.chooseProject({ root: root! });
  using second = await open();
  await second.restore(JSON.parse(JSON.stringify(first.keep())) as KeptWorkspace);
  expect(paths(second)).toEqual([one, two, agreed]);
  expect(second.snapshot().roots.map(({ name }) => name)).toEqual(['One', 'two', 'agreed']);
  expect(second.project().path).toBe(two);
  expect(second.keep()).toEqual(first.keep());
  expect((await second.ready()).client).toBe('answered');
});

test('restore() waits for a disk that is slower than calls wait', async () => {
  const one = folder('one');
  using first = await open();
  await clientNames(first, one);
  const clock = new FakeClock();
  using second = await open(undefined, clock);
  const restoring = second.restore(first.keep());
  clock.advance(10_000);
  await restoring;
  expect([paths(second), second.snapshot().client]).toEqual([[one], 'answered']);
});

test('restore() gives up on a disk that does not answer, rather than go on without the roots', async () => {
  using first = await open();
  await clientNames(first, folder('one'));
  const clock = new FakeClock();
  using second = await open(undefined, clock);
  const restoring = second.restore(first.keep());
  clock.advance(100_000);
  await expect(restoring).rejects.toThrow(/could not be looked up/);
});

test('restore() takes away what the other workspace lost', async () => {
  const [one, agreed] = [folder('one'), folder('agreed')];
  using first = await open();
  await clientNames(first, one);
  await first.grant(agreed);
  using second = await open();
  await second.restore(first.keep());
  await clientNames(first);
  await second.restore(first.keep());
  expect(paths(second)).toEqual([]);
  expect(second.explain()).toBe(first.explain());
});

test('restore() cuts what was kept to the ceiling, and follows no link that took its place', async () => {
  const [inside, outside] = [folder('ceiling', 'inside'), folder('outside')];
  const link = join(top, 'ceiling', 'link');
  symlinkSync(outside, link);
  using workspace = await open(folder('ceiling'));
  await workspace.restore({
    client: 'answered',
    roots: [{ uri: uri(inside) }, { uri: uri(outside) }, { uri: uri(link) }],
    hasGiven: true,
    consents: [outside, link],
    project: { path: outside },
  });
  expect(paths(workspace)).toEqual([inside]);
  expect(workspace.project().path).toBe(inside);
});

test.each(['refused', 'silent', 'malformed'] as const)(
  'restore() does not ask a client again that was %s',
  async (client) => {
    const one = folder('one');
    using workspace = await open();
    await workspace.restore({ client, roots: [{ uri: uri(one) }], hasGiven: true });
    expect((await workspace.ready()).client).toBe(client);
    expect(paths(workspace)).toEqual([one]);
  },
);

test('restore() knows that the client was to be asked again', async () => {
  const [one, two] = [folder('one'), folder('two')];
  using first = await open();
  await clientNames(first, one);
  first.rootsChanged();
  using second = await open();
  await second.restore(first.keep());
  const port = { ask: () => Promise.resolve({ roots: [{ uri: uri(two) }] }) };
  await second.ready({ port });
  expect(paths(second)).toEqual([two]);
});

test('restore() keeps what changed here since, and takes over the rest', async () => {
  const [one, two, agreed, other] = [folder('one'), folder('two'), folder('agreed'), folder('other')];
  using first = await open();
  using second = await open();
  await clientNames(first, one, two);
  const since = first.keep();
  await second.restore(since);
  await second.grant(agreed);
  second.chooseProject({ root: second.snapshot().roots[0]! });
  await first.grant(other);
  await clientNames(first, one);
  await second.restore(first.keep(), { since });
  expect(paths(second)).toEqual([one, other, agreed]);
  expect(second.keep().project).toEqual({ path: one });
});

test('restore() loses no place that the user agrees to meanwhile', async () => {
  const [one, agreed, other] = [folder('one'), folder('agreed'), folder('other')];
  using first = await open();
  await clientNames(first, one);
  await first.grant(agreed);
  using second = await open();
  await Promise.all([second.restore(first.keep(), { since: {} }), second.grant(other)]);
  expect(paths(second).toSorted()).toEqual([agreed, one, other].toSorted());
});

test('restore() has the client asked again whose answer it dropped', async () => {
  const { workspace, client, path } = await connectSlowly();
  await client.answer([path]);
  await workspace.restore({ client: 'empty', hasGiven: true }, { since: {} });
  expect(workspace.keep()).toMatchObject({ client: 'empty', outdated: true });
});

test.each([
  {},
  { client: 'answered', roots: [{ uri: 'file:///a', name: 'a' }, { uri: 'x' }], hasGiven: true, change: 'x' },
  { client: 'empty', disputed: false, consents: ['/a'], project: { path: '/a' }, outdated: true },
  { project: { name: 'a' } },
])('isKeptWorkspace() accepts %j', (kept) => {
  expect(isKeptWorkspace(kept)).toBe(true);
});

test.each([
  undefined,
  [],
  { client: 'pending' },
  { client: 7 },
  { roots: {} },
  { roots: [null] },
  { roots: [{ name: 'a' }] },
  { roots: [{ uri: 'file:///a', name: null }] },
  { consents: '/a' },
  { consents: [1] },
  { hasGiven: 1 },
  { disputed: 'no' },
  { outdated: null },
  { change: 1 },
  { project: 'a' },
  { project: { path: 1 } },
])('isKeptWorkspace() refuses %j', (kept) => {
  expect(isKeptWorkspace(kept)).toBe(false);
});
