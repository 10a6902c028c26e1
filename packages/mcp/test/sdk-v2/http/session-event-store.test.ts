import { McpServer } from '@modelcontextprotocol/server';
import { expect, test } from 'vitest';
import { createWorkspaceHandler } from '../../../src/index.js';
import { MemoryEventStore } from '../../fixtures/memory-event-store.js';
import { RawHttpClient } from '../../fixtures/raw-http-client.js';

/** Reads a stream until this text has come, then breaks it off. */
async function readUntil(response: Response, last: string): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body!) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    if (text.includes(last)) break;
  }
  return text;
}

test('a resumed stream carries what its own session missed, and nothing of others', async () => {
  const servers: McpServer[] = [];
  const handler = createWorkspaceHandler(
    () => {
      const server = new McpServer({ name: 's', version: '1.0.0' }, { capabilities: { logging: {} } });
      servers.push(server);
      return server;
    },
    { eventStore: new MemoryEventStore() },
  );
  const [first, second] = [new RawHttpClient(handler.fetch), new RawHttpClient(handler.fetch)];
  await first.connect();
  await second.connect();
  const say = (index: number, data: string) =>
    servers[index]!.server.sendLoggingMessage({ level: 'info', data });
  const resume = (client: RawHttpClient, lastEventId: string) =>
    handler.fetch(
      new Request('http://localhost/mcp', {
        headers: {
          accept: 'text/event-stream',
          'mcp-session-id': client.session!,
          'last-event-id': lastEventId,
        },
      }),
    );

  const stream = await first.send('GET');
  await say(0, 'heard');
  const lastEventId = /^id: (.+)$/m.exec(await readUntil(stream, 'heard'))![1]!;
  await say(0, 'missed');
  await say(1, 'secret');
  await say(0, 'the last one');

  const replayed = await readUntil(await resume(first, lastEventId), 'the last one');
  expect(replayed).toContain('missed');
  expect(replayed).not.toContain('secret');
  expect((await resume(second, lastEventId)).status).toBe(400);
  await handler.close();
});
