import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../../../../testing/eventually.js';
import { OpenResponses } from '../../../src/serve/http/open-responses.js';

const post = (path: string): string =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}`;

interface Pipeline {
  readonly client: Socket;
  readonly open: OpenResponses;
  /** The connection, as the server has it. */
  readonly socket: Socket;
  /** All responses in the order of their requests, whether it was their turn or not. */
  readonly responses: readonly ServerResponse[];
  readonly closed: readonly boolean[];
}

/** A connection over which these requests are sent at once. */
async function pipeline(
  paths: readonly string[],
  serve: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<Pipeline> {
  const open = new OpenResponses();
  const responses: ServerResponse[] = [];
  const closed: boolean[] = [];
  const server = createServer((request, response) => {
    const index = responses.push(response) - 1;
    response.on('close', () => (closed[index] = true));
    open.inTurn(request, response, () => serve(request, response));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const accepted = once(server, 'connection');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => undefined);
  onTestFinished(() => {
    client.destroy();
    server.close();
  });
  client.write(paths.map(post).join(''));
  const [socket] = (await accepted) as [Socket];
  return { client, open, socket, responses, closed };
}

test('responses to requests that were sent at once all hear that their client has left', async () => {
  const { client, open, socket, responses, closed } = await pipeline(
    ['/0', '/1', '/2', '/3'],
    ({ url }, response) => {
      // The first one is answered, the others are not.
      if (url === '/0') response.end('first');
    },
  );
  await once(client, 'data');
  await eventually(() => expect(responses).toHaveLength(4));
  expect(closed).toEqual([true]);
  expect(open.isBusy(socket)).toBe(true);
  client.destroy();
  await eventually(() => expect(closed).toEqual([true, true, true, true]));
  expect(responses.map(({ destroyed }) => destroyed)).toEqual([true, true, true, true]);
  expect(open.isBusy(socket)).toBe(false);
});

test('OpenResponses.inTurn() serves a request after those that came before it on its connection are answered', async () => {
  const waiting: ServerResponse[] = [];
  const { client, responses } = await pipeline(['/0', '/1', '/2'], (_request, response) => {
    waiting.push(response);
  });
  for (const count of [1, 2, 3]) {
    await eventually(() => expect(waiting).toHaveLength(count));
    expect(waiting).toEqual(responses.slice(0, count));
    expect(responses).toHaveLength(3);
    const answered = once(client, 'data');
    waiting.at(-1)?.end('done');
    await answered;
  }
});

test('OpenResponses.inTurn() serves nothing that was sent behind a request whose answer closes the connection', async () => {
  const served: (string | undefined)[] = [];
  const { client, responses, closed } = await pipeline(['/0', '/1', '/2', '/3'], ({ url }, response) => {
    served.push(url);
    if (url === '/1') response.setHeader('Connection', 'close');
    response.end(url);
  });
  const answers = await text(client);
  expect(answers.match(/HTTP\/1\.1 200/g)).toHaveLength(2);
  expect(responses).toHaveLength(4);
  expect(served).toEqual(['/0', '/1']);
  await eventually(() => expect(closed).toEqual([true, true, true, true]));
});

test('OpenResponses.inTurn() ends a connection that sends request after request and does not wait for an answer', async () => {
  const served: (string | undefined)[] = [];
  const paths = Array.from({ length: 200 }, (_, index) => `/${index}`);
  const { client, closed } = await pipeline(paths, ({ url }) => served.push(url));
  await once(client, 'close');
  expect(served).toEqual(['/0']);
  await eventually(() => expect(closed.slice(0, 100)).toEqual(paths.slice(0, 100).map(() => true)));
});
