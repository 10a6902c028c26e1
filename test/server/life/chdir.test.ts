import { readlinkSync } from 'node:fs';
import { answering, inTurn, refusing, type RootsScript } from '@rootward/mcp/testing';
import { describe, expect, test } from 'vitest';
import { connectRootward, makeFolders } from '../fixtures/rootward.js';
import { eventually } from '../../../testing/eventually.js';

const folders = makeFolders('start', 'a', 'b');

async function start(
  roots: RootsScript | undefined,
  args: readonly string[] = ['--chdir'],
): Promise<{ directory: () => string; client: Awaited<ReturnType<typeof connectRootward>>['client'] }> {
  const { server, client } = await connectRootward(
    args,
    roots === undefined ? {} : { roots, listChanged: true },
    {
      cwd: folders.path('start'),
    },
  );
  return { client, directory: () => readlinkSync(`/proc/${server.process.pid}/cwd`) };
}

// Where a process is can only be seen from outside on Linux.
describe.runIf(process.platform === 'linux')('rootward --chdir', () => {
  test('moves to the only root', async () => {
    const { directory } = await start(answering([{ uri: folders.uri('a') }]));
    await eventually(() => expect(directory()).toBe(folders.path('a')));
  });

  test('moves to the first of several roots that is a directory', async () => {
    const roots = [
      { uri: 'https://example.com/x' },
      { uri: `${folders.uri('a')}/missing` },
      { uri: `${folders.uri('a')}/name.txt` },
      { uri: folders.uri('b') },
      { uri: folders.uri('a') },
    ];
    const { directory } = await start(answering(roots));
    await eventually(() => expect(directory()).toBe(folders.path('b')));
  });

  test.each([
    ['the list is empty', answering([])],
    ['the only root is missing', answering([{ uri: `${folders.uri('a')}/missing` }])],
    ['the only root is no file URI', answering([{ uri: 'https://example.com/x' }])],
    ['the client refuses to list roots', refusing()],
  ])('stays where it is when %s', async (_when, roots) => {
    const { client, directory } = await start(roots);
    await client.callTool('workspace_info');
    expect(client.asked.length).toBeGreaterThan(0);
    expect(directory()).toBe(folders.path('start'));
  });

  test('follows a change, and stays where it is when all roots go', async () => {
    const script = inTurn(
      answering([{ uri: folders.uri('a') }]),
      answering([{ uri: folders.uri('b') }]),
      answering([]),
    );
    const { client, directory } = await start(script);
    await eventually(() => expect(directory()).toBe(folders.path('a')));
    client.notify('notifications/roots/list_changed');
    await eventually(() => expect(directory()).toBe(folders.path('b')));
    client.notify('notifications/roots/list_changed');
    const info = await client.callTool('workspace_info');
    expect(info['structuredContent']).toMatchObject({ roots: [] });
    expect(directory()).toBe(folders.path('b'));
  });

  test('never asks a client that does not declare roots, and stays where it is', async () => {
    const { client, directory } = await start(undefined);
    await client.callTool('workspace_info');
    expect(client.asked).toHaveLength(0);
    expect(directory()).toBe(folders.path('start'));
  });

  test('does not follow requests that stand alone', async () => {
    const { server, client } = await connectRootward(
      ['--chdir'],
      { era: 'modern', roots: answering([{ uri: folders.uri('a') }]) },
      { cwd: folders.path('start') },
    );
    const info = await client.callTool('workspace_info');
    expect(info['structuredContent']).toMatchObject({ directory: folders.path('a') });
    expect(readlinkSync(`/proc/${server.process.pid}/cwd`)).toBe(folders.path('start'));
  });

  test('is off unless asked for', async () => {
    const { client, directory } = await start(answering([{ uri: folders.uri('a') }]), []);
    await client.callTool('workspace_info');
    expect(directory()).toBe(folders.path('start'));
  });
});
