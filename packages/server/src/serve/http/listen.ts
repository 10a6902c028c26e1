import type { Server } from 'node:http';
import { RootwardServerError } from '../../error.js';
import type { HttpPort } from '../../settings/settings.js';

/** How many ports after the wanted one are tried. */
const FURTHER_PORTS = 20;
const LAST_PORT = 65_535;
/** What a host gets that is no address of this machine. */
const NO_ADDRESS: ReadonlySet<string> = new Set(['EADDRNOTAVAIL', 'ENOTFOUND']);

/** Listens on the port, or, where nobody named it, on the next free one; resolves to the one it got. */
export async function listen(server: Server, { port, given }: HttpPort, host: string): Promise<number> {
  const last = given ? port : Math.min(port + FURTHER_PORTS, LAST_PORT);
  for (let candidate = port; candidate <= last; candidate++) {
    const problem = await tryListen(server, candidate, host);
    if (problem === undefined) return portOf(server);
    const code = 'code' in problem ? problem.code : undefined;
    if (code === 'EADDRINUSE' && given) {
      // A client that was told this port would send its token to whoever holds it.
      throw new RootwardServerError(
        'usage',
        `Cannot listen on ${host}:${port}: the port is taken; name another one, or 0 for any that is free`,
        { cause: problem },
      );
    }
    if (typeof code === 'string' && NO_ADDRESS.has(code)) {
      throw new RootwardServerError(
        'usage',
        `Cannot listen on ${host}: this machine has no such address (${code}); name another one with --host`,
        { cause: problem },
      );
    }
    if (code !== 'EADDRINUSE') {
      throw new RootwardServerError('listen', `Cannot listen on ${host}:${candidate}: ${problem.message}`, {
        cause: problem,
      });
    }
  }
  throw new RootwardServerError(
    'listen',
    `Cannot listen on ${host}: ports ${port} to ${last} are taken; name another one with --http PORT, or 0 for any that is free`,
  );
}

function tryListen(server: Server, port: number, host: string): Promise<Error | undefined> {
  return new Promise((resolve) => {
    const settle = (problem?: Error): void => {
      server.off('error', settle);
      server.off('listening', settle);
      resolve(problem);
    };
    server.on('error', settle);
    server.on('listening', settle);
    server.listen({ port, host, exclusive: true });
  });
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
