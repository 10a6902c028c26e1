import { randomBytes } from 'node:crypto';
import type { Server } from 'node:http';
import type { HttpPort, Settings } from '../../settings/settings.js';
import { ENDPOINT } from './guarded-server.js';
import { localAddress } from './http-access.js';
import { listen } from './listen.js';

/** Where a server listens, and how to get in. */
export interface HttpEndpoint {
  /** As clients on this machine reach it. */
  readonly url: string;
  /** The default port, where it was taken. */
  readonly wantedPort: number | undefined;
  /** Made for this run; undefined where one was given, or none is needed. */
  readonly madeToken: string | undefined;
}

const TOKEN_BYTES = 32;

/** Where a server listens from now on. */
export async function open(
  server: Server,
  wanted: HttpPort,
  host: string,
): Promise<Pick<HttpEndpoint, 'url' | 'wantedPort'>> {
  const got = await listen(server, wanted, host);
  return {
    url: `http://${localAddress(host)}:${got}${ENDPOINT}`,
    wantedPort: wanted.given || got === wanted.port ? undefined : wanted.port,
  };
}

/** The tokens that let clients in; one is made where none was given and one is needed. */
export function chooseTokens({ tokens, insecureNoToken }: Pick<Settings, 'tokens' | 'insecureNoToken'>): {
  readonly tokens: readonly string[];
  readonly madeToken: string | undefined;
} {
  if (tokens.length > 0 || insecureNoToken) return { tokens, madeToken: undefined };
  const madeToken = randomBytes(TOKEN_BYTES).toString('base64url');
  return { tokens: [madeToken], madeToken };
}
