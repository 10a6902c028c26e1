import { mkdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { resolveSnapshot } from '../../src/snapshot/resolve-snapshot.js';
import { Workspace } from '../../src/workspace/workspace.js';
import { readFrom } from '../sources/read-from.js';
import { connect, connectAsked, makeTree, paths, pathsOf, record } from './scripted-client.js';

const hints = (tree: (name: string) => string) => ({
  CLAUDE_PROJECT_DIR: tree('base/b'),
  PWD: tree('base/b'),
});

const configured = (tree: (name: string) => string, access?: string) => [
  {
    file: tree('rootward.json'),
    roots: [{ path: tree('later'), ...(access !== undefined && { access }) }],
  },
];

describe('A client that declares roots, under a ceiling', () => {
  test('has none before it has answered, and none but its own after', async () => {
    const tree = makeTree('base/a', 'base/b');
    const { workspace, client } = await connectAsked({ within: [tree('base')], environment: hints(tree) });
    expect(pathsOf(workspace)).toEqual([]);
    expect(workspace.scope().contains(tree('base/b'))).toBe(false);
    await client.answer([tree('base/a')]);
    expect(pathsOf(workspace)).toEqual([tree('base/a')]);
  });

  test.each(['silent', 'refused', 'malformed', 'empty', 'outside'])('has none when it is %s', async (how) => {
    const tree = makeTree('base/a', 'base/b', 'elsewhere');
    const { workspace, client, clock } = await connectAsked({
      within: [tree('base')],
      environment: hints(tree),
    });
    if (how === 'silent') await clock.advanceAndSettle(2_000);
    if (how === 'refused') await client.error(-32603);
    if (how === 'malformed') await client.result({ roots: 'x' });
    if (how === 'empty') await client.answer([]);
    if (how === 'outside') await client.answer([tree('elsewhere')]);
    expect(pathsOf(workspace)).toEqual([]);
    const { trace } = workspace.snapshot();
    expect(trace.find(({ source }) => source === 'ceiling')?.verdict).toBe('withheld');
  });

  test('has those of the operator, and one that declares none has the ceiling', async () => {
    const tree = makeTree('base/a', 'base/b');
    const named = await connectAsked({ within: [tree('base')], roots: [tree('base/a')] });
    expect(pathsOf(named.workspace)).toEqual([tree('base/a')]);
    const { workspace } = await connect({ within: [tree('base')] });
    workspace.clientDeclared({ roots: false });
    expect(pathsOf(workspace)).toEqual([tree('base')]);
  });

  test('in a request that stands alone', async () => {
    const tree = makeTree('base/a', 'base/b');
    const sources = await readFrom({ within: [tree('base')], environment: hints(tree) });
    for (const answer of [undefined, { missing: true } as const, { error: { code: -1 } }, { result: 3 }]) {
      const { roots } = await resolveSnapshot(sources, { declaresRoots: true, answer }, { now: 0 });
      expect(roots).toEqual([]);
    }
    const { roots } = await resolveSnapshot(sources, { declaresRoots: false }, { now: 0 });
    expect(paths(roots)).toEqual([tree('base/b')]);
  });
});

describe('A root the operator named that cannot be used', () => {
  test.each(['replace', 'ignore'] as const)('is replaced by no hint (%s)', async (clientRoots) => {
    const tree = makeTree('hint');
    const environment = { CLAUDE_PROJECT_DIR: tree('hint'), PWD: tree('hint') };
    const { workspace } = await connect({ config: configured(tree), environment, clientRoots });
    workspace.clientDeclared({ roots: false });
    expect(pathsOf(workspace)).toEqual([]);
    const verdicts = workspace.snapshot().trace.map(({ source, verdict }) => `${source} ${verdict}`);
    expect(verdicts).toContain('host withheld');
    expect(verdicts).toContain('config rejected');
  });

  test('is replaced by no ceiling, and lets nobody through where it would be the ceiling', async () => {
    const tree = makeTree('base', 'other');
    const bounded = await readFrom({ config: configured(tree), within: [tree('')] });
    expect((await resolveSnapshot(bounded, { declaresRoots: false }, { now: 0 })).roots).toEqual([]);
    const http = await readFrom({ config: configured(tree), operatorRootsAreCeiling: true });
    const answer = { result: { roots: [{ uri: `file://${tree('other')}` }] } };
    expect((await resolveSnapshot(http, { declaresRoots: true, answer }, { now: 0 })).roots).toEqual([]);
  });

  test('counts from when it is there, with the access it was given', async () => {
    const tree = makeTree();
    const sources = await readFrom({ config: configured(tree, 'read-only') });
    using workspace = new Workspace({ sources });
    workspace.clientDeclared({ roots: false });
    const changes = record(workspace);
    expect((await workspace.ready()).roots).toEqual([]);
    mkdirSync(tree('later'));
    expect((await workspace.ready()).roots).toMatchObject([{ path: tree('later'), access: 'read-only' }]);
    expect(changes).toMatchObject([{ reason: 'source', added: [{ path: tree('later') }] }]);
    await expect(workspace.scope().write('a.txt', '')).rejects.toMatchObject({ code: 'read-only' });
    const { roots } = await resolveSnapshot(sources, { declaresRoots: false }, { now: 0 });
    expect(roots).toMatchObject([{ path: tree('later'), access: 'read-only' }]);
  });
});

test('an empty ceiling is an error', async () => {
  await expect(readFrom({ within: [] })).rejects.toMatchObject({ code: 'invalid-option' });
});
