import { answering, inTurn } from '@rootward/mcp/testing';
import { expect, test } from 'vitest';
import { connectRootward, makeFolders } from './fixtures/rootward.js';
import { eventually } from '../../testing/eventually.js';

const folders = makeFolders('a', 'b');
const script = inTurn(answering([{ uri: folders.uri('a') }]), answering([{ uri: folders.uri('b') }]));

function updates(received: readonly object[]): readonly unknown[] {
  return received.flatMap((message) =>
    'method' in message && message.method === 'notifications/resources/updated' && 'params' in message
      ? [message.params]
      : [],
  );
}

test('a legacy client that subscribed is told when the roots change', async () => {
  const { client } = await connectRootward([], { roots: script, listChanged: true });
  const { contents } = (await client.request('resources/read', { uri: 'workspace://roots' })) as {
    contents: { text: string }[];
  };
  expect(JSON.parse(contents[0]!.text)).toMatchObject({
    roots: [{ path: folders.path('a'), source: 'client' }],
  });
  await client.request('resources/subscribe', { uri: 'workspace://roots' });
  await client.request('resources/subscribe', { uri: 'workspace://project' });
  await client.request('resources/unsubscribe', { uri: 'workspace://project' });
  client.notify('notifications/roots/list_changed');
  await eventually(() => expect(updates(client.received)).toEqual([{ uri: 'workspace://roots' }]));
});

test('the roots resource and workspace_info tell what --read-only leaves of the access', async () => {
  const { client } = await connectRootward(['--read-only', folders.path('a')]);
  const { contents } = (await client.request('resources/read', { uri: 'workspace://roots' })) as {
    contents: { text: string }[];
  };
  const roots = [{ path: folders.path('a'), access: 'read-only' }];
  expect(JSON.parse(contents[0]!.text)).toMatchObject({ roots });
  expect((await client.callTool('workspace_info'))['structuredContent']).toMatchObject({ roots });
});

test('a legacy client that did not subscribe is told nothing', async () => {
  const { client } = await connectRootward([], { roots: script, listChanged: true });
  await client.callTool('workspace_info');
  client.notify('notifications/roots/list_changed');
  await client.callTool('workspace_info');
  expect(updates(client.received)).toEqual([]);
});

test('subscribing to anything else is refused', async () => {
  const { client } = await connectRootward([]);
  await expect(client.request('resources/subscribe', { uri: 'file:///etc/passwd' })).rejects.toThrow(
    'file:///etc/passwd',
  );
});

test('the project resource is null where there is none', async () => {
  const { client } = await connectRootward([]);
  const { contents } = (await client.request('resources/read', { uri: 'workspace://project' })) as {
    contents: { text: string }[];
  };
  expect(contents[0]!.text).toBe('{"project":null}');
});

test('a legacy client is told when another project is chosen: that it changed, and that other guides are listed', async () => {
  const roots = answering([{ uri: folders.uri('a') }, { uri: folders.uri('b') }]);
  const { client } = await connectRootward([], { roots });
  await client.request('resources/list');
  // Once the roots are there, only the choice is left to be told of.
  await client.callTool('workspace_info');
  await client.request('resources/subscribe', { uri: 'workspace://roots' });
  await client.request('resources/subscribe', { uri: 'workspace://project' });
  client.received.length = 0;
  await client.callTool('switch_project', { project: 'b' });
  await eventually(() => {
    expect(updates(client.received)).toEqual([{ uri: 'workspace://project' }]);
    expect(client.received).toContainEqual(
      expect.objectContaining({ method: 'notifications/resources/list_changed' }),
    );
  });
});
