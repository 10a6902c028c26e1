import { describe, expect, test } from 'vitest';
import { explainSnapshot } from '../../src/snapshot/explain.js';
import { resolveSnapshot } from '../../src/snapshot/resolve-snapshot.js';
import { Workspace } from '../../src/workspace/workspace.js';
import { readFrom } from '../sources/read-from.js';
import { clientNames, connect, connectAsked, makeTree } from '../workspace/scripted-client.js';

describe('explain()', () => {
  test('tells a person why: a silent client, and a hint that is used', async () => {
    const tree = makeTree('b');
    const { workspace, clock } = await connect({ environment: { CLAUDE_PROJECT_DIR: tree('b') } });
    workspace.clientDeclared({ roots: true, clientInfo: { name: 'x' } });
    workspace.clientReady();
    await clock.advanceAndSettle(2_000);
    expect(workspace.explain()).toBe(
      [
        `1 root from host: ${tree('b')}`,
        "Client 'x' declared roots but did not answer within 2 s; --root not given; " +
          'ROOTWARD_ROOTS and MCPBASH_ROOTS not set; no roots in a configuration file; --project not given; ' +
          `CLAUDE_PROJECT_DIR names ${tree('b')}: used`,
      ].join('\n'),
    );
  });

  test('says what was replaced and rejected, and does not grow with the number of rejections', async () => {
    const tree = makeTree('a', 'flag');
    const { workspace, client } = await connectAsked({ roots: [tree('flag')] });
    const missing = Array.from({ length: 200 }, (_, index) => tree(`missing${index}`));
    await client.answer([tree('a'), ...missing]);
    const text = workspace.explain();
    expect(text).toContain(`--root names ${tree('flag')}: replaced by the roots of the client`);
    expect(text).toContain('(not-found)');
    expect(text.split('\n')).toHaveLength(2 + 5 + 1);
  });

  test('says that what was replaced still forbids', async () => {
    const tree = makeTree('shared/archive');
    const file = tree('rootward.json');
    const roots = [{ path: tree('shared/archive'), access: 'read-only' }];
    const { workspace, client } = await connectAsked({ config: [{ file, roots }] });
    await client.answer([tree('shared')]);
    expect(workspace.explain()).toBe(
      [
        `2 roots from client and config: ${tree('shared')} and ${tree('shared/archive')}`,
        `Client 'tester' gave 1 root: used; ${file} names ${tree('shared/archive')} ` +
          '(what is read-only there stays so): replaced by the roots of the client',
      ].join('\n'),
    );
  });

  test('keeps the name of a hostile client on one line', async () => {
    const { workspace } = await connect();
    workspace.clientDeclared({ roots: false, clientInfo: { name: 'x\n1 root from flag: /' } });
    expect(workspace.explain().split('\n')).toHaveLength(2);
  });

  test.each([
    ['pending', undefined, 'has not answered yet'],
    ['refused', -32603, 'refused to list them'],
  ])('knows a client that is %s', async (state, code, text) => {
    const { workspace, client } = await connectAsked();
    if (code !== undefined) await client.error(code);
    expect(workspace.snapshot().client).toBe(state);
    expect(workspace.explain()).toContain(text);
  });

  test('names a time only where one ran out', async () => {
    const { workspace, client, clock } = await connectAsked();
    await client.error(undefined);
    expect(workspace.explain()).toContain("Client 'tester' declared roots but no answer came; ");
    workspace.rootsChanged();
    await client.answer([]);
    await clock.advanceAndSettle(1_000);
    workspace.rootsChanged();
    await clock.advanceAndSettle(2_000);
    expect(workspace.explain()).toContain('did not answer within 2 s; ');
  });

  test('says of an answer that was missing that none came', async () => {
    const request = { declaresRoots: true, answer: { missing: true } as const };
    const snapshot = await resolveSnapshot(await readFrom({}), request, { now: 0 });
    expect(explainSnapshot(snapshot)).toContain('Client declared roots but no answer came; ');
  });

  test('speaks of revocation only where the client gave roots before', async () => {
    const tree = makeTree('a', 'pwd');
    const sources = await readFrom({ environment: { PWD: tree('pwd') } });
    const request = { declaresRoots: true, answer: { result: { roots: [] } } };
    const alone = explainSnapshot(await resolveSnapshot(sources, request, { now: 0 }));
    expect(alone).toContain('Client answered with no roots; ');
    expect(alone).toContain('not used, since the client answered without a valid root');
    using workspace = new Workspace({ sources, limits: { spacing: 0 } });
    await clientNames(workspace, tree('a'));
    await clientNames(workspace);
    expect(workspace.explain()).toContain('answered with no roots, which revokes those it gave before');
  });

  test('says that previous roots are kept', async () => {
    const tree = makeTree('a');
    const { workspace, client } = await connectAsked();
    await client.answer([tree('a')]);
    workspace.rootsChanged();
    await client.result(null);
    expect(workspace.explain()).toContain('its answer was malformed, so its previous roots are kept: used');
  });
});
