import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { resolveSnapshot } from '../../src/snapshot/resolve-snapshot.js';
import { viewSnapshot } from '../../src/workspace/workspace-view.js';
import { Workspace } from '../../src/workspace/workspace.js';
import { readFrom } from '../sources/read-from.js';
import { makeTree, paths } from '../workspace/scripted-client.js';

const NOW = { now: 7 };

function listing(...roots: string[]) {
  return { result: { roots: roots.map((path) => ({ uri: pathToFileURL(path).href })) } };
}

describe('resolveSnapshot()', () => {
  test('takes the roots of an answer', async () => {
    const tree = makeTree('a', 'hint');
    const sources = await readFrom({ environment: { CLAUDE_PROJECT_DIR: tree('hint') } });
    const snapshot = await resolveSnapshot(
      sources,
      { declaresRoots: true, answer: listing(tree('a')), clientInfo: { name: 'x' } },
      NOW,
    );
    expect(paths(snapshot.roots)).toEqual([tree('a')]);
    expect(snapshot).toMatchObject({ epoch: 0, client: 'answered', takenAt: 7 });
    expect(viewSnapshot(snapshot).project().name).toBe('a');
  });

  test.each([
    ['empty', { result: { roots: [] } }, false],
    ['answered', listing('/nowhere/at/all'), false],
    ['malformed', { result: 3 }, true],
    ['refused', { error: { code: -32601 } }, true],
    ['silent', { missing: true as const }, true],
    ['unasked', undefined, true],
  ])('says %s, and leaves hints only where the client has not answered', async (client, answer, hinted) => {
    const tree = makeTree('hint');
    const sources = await readFrom({ environment: { CLAUDE_PROJECT_DIR: tree('hint') } });
    const snapshot = await resolveSnapshot(sources, { declaresRoots: true, answer }, NOW);
    expect(snapshot.client).toBe(client);
    expect(paths(snapshot.roots)).toEqual(hinted ? [tree('hint')] : []);
  });

  test('takes a handle before an answer, and rejects one whose roots are gone', async () => {
    const tree = makeTree('a', 'b');
    const sources = await readFrom({});
    const facts = { declaresRoots: true, answer: listing(tree('a')) };
    const snapshot = await resolveSnapshot(sources, { ...facts, handle: [{ path: tree('b') }] }, NOW);
    expect(snapshot.roots).toMatchObject([{ path: tree('b'), source: 'handle' }]);
    const gone = resolveSnapshot(sources, { ...facts, handle: [{ path: tree('c') }] }, NOW);
    await expect(gone).rejects.toMatchObject({ code: 'not-found' });
  });

  test('reads metadata, and ignores everything of the client where the operator says so', async () => {
    const tree = makeTree('a', 'own');
    const facts = { declaresRoots: false, meta: { 'agent-working-dir': tree('a') } };
    const snapshot = await resolveSnapshot(await readFrom({}), facts, NOW);
    expect(snapshot.roots).toMatchObject([{ path: tree('a'), source: 'request' }]);
    const ignoring = await readFrom({ roots: [tree('own')], clientRoots: 'ignore' });
    const handle = [{ path: tree('a') }];
    const ignored = await resolveSnapshot(ignoring, { ...facts, handle, answer: listing(tree('a')) }, NOW);
    expect(paths(ignored.roots)).toEqual([tree('own')]);
    expect(ignored.client).toBe('ignored');
  });

  test('is what a workspace can start from, which then asks nobody', async () => {
    const tree = makeTree('a', 'b');
    const sources = await readFrom({});
    const from = await resolveSnapshot(sources, { declaresRoots: true, answer: listing(tree('a')) }, NOW);
    using workspace = new Workspace({
      sources,
      from,
      port: { ask: () => Promise.reject(new Error('asked')) },
    });
    workspace.clientReady();
    expect(await workspace.ready()).toMatchObject({ client: 'answered', roots: [{ path: tree('a') }] });
    await workspace.grant(tree('b'));
    expect(paths(workspace.snapshot().roots)).toEqual([tree('a'), tree('b')]);
    expect(workspace.stats().requests).toBe(0);
  });
});
