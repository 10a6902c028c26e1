import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { McpServer } from '@modelcontextprotocol/server';
import { withWorkspace } from '@rootward/mcp';
import { observeConnections } from '@rootward/mcp/host';
import { expect, onTestFinished, test } from 'vitest';
import { ProjectSessions } from '../../src/guidance/project-sessions.js';
import { LegacySession } from '../../src/serve/legacy-session.js';
import { offerSubscriptions, registerResources } from '../../src/serve/resources.js';
import { sessionOf, SharedContent } from '../../src/serve/shared-content.js';
import { registerGuides } from '../../src/tools/guidance/register-guides.js';
import { LiveSessions } from '../../src/watch/live-process.js';
import { makeTree } from '../fixtures/temp-tree.js';

const tree = makeTree({ 'a/README.md': '# a', 'b/README.md': '# b' });

function makeContent(): SharedContent {
  const projects = new ProjectSessions({ era: 'legacy' });
  return new SharedContent((registry) => {
    registerResources(registry);
    registerGuides(registry, projects, 'legacy', sessionOf);
    offerSubscriptions(
      registry,
      () => undefined,
      (ctx) => sessionOf(ctx).subscriptions,
    );
  });
}

/** A client with a server of its own, and what it is told about resources. */
async function connect(
  content: SharedContent,
  root: string,
): Promise<{ readonly client: Client; readonly session: LegacySession; readonly told: string[] }> {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const server = withWorkspace(new McpServer({ name: 'shared', version: '1.0.0' }), {
    environment: {},
    home: '/nonexistent',
    roots: [tree.path(root)],
  });
  const session = new LegacySession(server, { sessions: new LiveSessions(), telemetry: undefined });
  observeConnections(server, session);
  content.serveOn(session);
  await server.connect(far);
  const client = new Client({ name: 'test', version: '1.0.0' });
  const told: string[] = [];
  client.setNotificationHandler(
    'notifications/resources/updated',
    ({ params }) => void told.push(params.uri),
  );
  await client.connect(near);
  onTestFinished(() => client.close());
  return { client, session, told };
}

const rootsOf = async (client: Client): Promise<string> =>
  JSON.stringify(await client.readResource({ uri: 'workspace://roots' }));

test('SharedContent serves each session its own workspace, also at the same time', async () => {
  const content = makeContent();
  const [a, b] = await Promise.all([connect(content, 'a'), connect(content, 'b')]);
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, i) => rootsOf((i % 2 === 0 ? a : b).client)),
  );
  for (const [index, answer] of answers.entries()) {
    expect(answer.includes(tree.path('a'))).toBe(index % 2 === 0);
    expect(answer.includes(tree.path('b'))).toBe(index % 2 === 1);
  }
});

test('SharedContent lists what is registered, and declares what it can do', async () => {
  const { client } = await connect(makeContent(), 'a');
  const { resources } = await client.listResources();
  expect(resources.map(({ uri }) => uri)).toEqual(
    expect.arrayContaining(['workspace://roots', 'workspace://project']),
  );
  expect((await client.listResourceTemplates()).resourceTemplates.map(({ name }) => name)).toContain('guide');
  expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(['guide']);
  expect((await client.getPrompt({ name: 'guide', arguments: {} })).messages).toHaveLength(1);
  expect(client.getServerCapabilities()).toMatchObject({
    resources: { listChanged: true, subscribe: true },
    prompts: { listChanged: true },
  });
});

test('SharedContent tells only the session that has subscribed, and that has listed guides', async () => {
  const content = makeContent();
  const [a, b] = await Promise.all([connect(content, 'a'), connect(content, 'b')]);
  await a.client.subscribeResource({ uri: 'workspace://project' });
  await a.client.listResources();
  expect([a.session.hasListedGuides, b.session.hasListedGuides]).toEqual([true, false]);
  await Promise.all([rootsOf(a.client), rootsOf(b.client)]);
  for (const { session } of [a, b]) session.workspace?.chooseProject({ name: 'other' });
  // Both have been told by the time that a later request is answered.
  await Promise.all([rootsOf(a.client), rootsOf(b.client)]);
  expect([a.told, b.told]).toEqual([['workspace://project'], []]);
  await a.client.unsubscribeResource({ uri: 'workspace://project' });
  a.session.workspace?.chooseProject({ name: 'third' });
  await rootsOf(a.client);
  expect(a.told).toHaveLength(1);
});

test('SharedContent refuses what it does not know, and parameters that do not fit', async () => {
  const { client } = await connect(makeContent(), 'a');
  await expect(client.subscribeResource({ uri: 'workspace://none' })).rejects.toThrow('not found');
  await expect(client.readResource({ uri: 'workspace://none' })).rejects.toThrow('not found');
  await expect(client.request({ method: 'resources/read', params: {} } as never)).rejects.toThrow(
    'Invalid params for resources/read: params.uri',
  );
  await expect(client.request({ method: 'completion/complete', params: {} } as never)).rejects.toThrow(
    'Method not found',
  );
});
