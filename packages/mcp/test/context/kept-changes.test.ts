import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Scope } from '@rootward/core';
import { History, undoChanges, type Change } from '@rootward/core/history';
import * as z from 'zod';
import { expect, onTestFinished, test } from 'vitest';
import type { WorkspaceServer } from '../../src/index.js';
import { connect, ERAS, text, textOf } from '../fixtures/in-process-server.js';
import { makeFolders } from '../../../../testing/temporary-folders.js';

const roots = makeFolders('a');

/** A tool that changes two files and says under which change. */
function build(server: WorkspaceServer): void {
  server.registerTool(
    'spoil',
    { inputSchema: z.object({ content: z.string() }) },
    async ({ content }, ctx) => {
      const scope = await ctx.workspace.scope();
      await scope.write('name.txt', content);
      await scope.write('new.txt', content);
      return text(ctx.workspace.history?.changeId ?? 'none');
    },
  );
  server.registerTool('read', { inputSchema: z.object({ path: z.string() }) }, async ({ path }, ctx) =>
    text((await (await ctx.workspace.scope()).readText(path)).text),
  );
}

test.each(ERAS)(
  'withWorkspace({ history: true }) keeps what a call changes as one change (%s)',
  async (era) => {
    const state = realpathSync(mkdtempSync(join(tmpdir(), 'rootward-kept-')));
    onTestFinished(() => rmSync(state, { recursive: true, force: true }));
    const options = {
      environment: { XDG_STATE_HOME: state },
      home: '/nonexistent',
      roots: [roots.path('a'), state],
      history: true,
    };
    const client = connect(build, { era }, options);
    await client.connect();
    const id = textOf(await client.callTool('spoil', { content: 'spoilt' }));
    using history = new History({ directory: join(state, 'rootward', 'history') });
    const changes: Change[] = [];
    const root = { path: roots.path('a'), uri: roots.uri('a'), name: 'a', declared: roots.path('a') };
    const kept = [
      { ...root, kind: 'directory', access: 'read-write', source: 'flag', broad: false },
    ] as const;
    for await (const change of history.changes(kept)) changes.push(change);
    expect(changes).toMatchObject([{ id, tool: 'spoil', complete: true }]);
    expect(changes[0]?.steps).toHaveLength(2);
    await undoChanges(history, new Scope({ roots: kept }), changes, { about: { tool: 'undo' } });
    expect(readFileSync(join(roots.path('a'), 'name.txt'), 'utf8')).toBe('a');
    // Not even where the folder of the history is in a root.
    const [project = ''] = readdirSync(join(state, 'rootward/history/projects'));
    const journal = join(state, 'rootward/history/projects', project, 'journal');
    expect(await client.callTool('read', { path: journal })).toMatchObject({ isError: true });
    await client.close();
  },
);

test('withWorkspace() keeps nothing unless it is told to', async () => {
  const client = connect(build, {}, { environment: {}, home: '/nonexistent', roots: [roots.path('a')] });
  await client.connect();
  expect(textOf(await client.callTool('spoil', { content: 'a' }))).toBe('none');
  await client.close();
});
