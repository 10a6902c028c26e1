import { createServer } from 'node:net';

/** A port that nothing listens on at the moment. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('Cannot find a free port: no address');
  await new Promise((resolve) => {
    server.close(resolve);
  });
  return address.port;
}
