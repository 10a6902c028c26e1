import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../../../../testing/eventually.js';
import { OpenResponses } from '../../../src/serve/http/open-responses.js';

const REQUEST = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';

test('responses to requests that were sent at once all hear that their client has left', async () => {
  const open = new OpenResponses();
  const waiting: ServerResponse[] = [];
  const closed: boolean[] = [];
  const server = createServer((request, response) => {
    const index = waiting.push(response) - 1;
    response.on('close', () => (closed[index] = true));
    open.follow(request, response);
    expect(open.isBusy(request.socket)).toBe(true);
    // The first one is answered, the others are not.
    if (index === 0) response.end('first');
  });
  onTestFinished(() => void server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const accepted = once(server, 'connection');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1', () =>
    client.write(REQUEST.repeat(4)),
  );
  await once(client, 'data');
  await eventually(() => expect(waiting).toHaveLength(4));
  expect(closed).toEqual([true]);
  client.destroy();
  await eventually(() => expect(closed).toEqual([true, true, true, true]));
  expect(waiting.map(({ destroyed }) => destroyed)).toEqual([true, true, true, true]);
  const [socket] = (await accepted) as [Parameters<typeof open.isBusy>[0]];
  expect(open.isBusy(socket)).toBe(false);
});
