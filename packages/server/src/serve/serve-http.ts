import { randomBytes } from 'node:crypto';
import type { Server } from 'node:http';
import { ProcessGuard } from '@rootward/mcp';
import { createServerFactory } from './create-server.js';
import { localAddress } from './http-access.js';
import { createHttpServer, ENDPOINT } from './http-server.js';
import { listen } from './listen.js';
import type { ServerSetup } from './prepare-server.js';
import type { HttpPort, Settings } from '../settings/settings.js';
import { showToPages } from './show-to-pages.js';

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

/** Serves any number of clients over HTTP until a signal comes. */
export async function serveHttp(setup: ServerSetup, wanted: HttpPort): Promise<HttpEndpoint> {
  const { settings, log, audit, catalogue, temporaries } = setup;
  const { host } = settings;
  const { tokens, madeToken } = chooseTokens(settings);
  const guard = new ProcessGuard({ watchParent: false });
  const factory = createServerFactory(setup, {
    children: guard.children,
    onShutdown: (hook) => void guard.onShutdown(hook),
  });
  const http = createHttpServer(factory, { host, tokens, log });
  // Servers that live for one request cannot tell of changes; whoever listens over HTTP is told for them. It also keeps
  // the folder watched, so that each of them sees it as it is.
  catalogue?.onDidChange(() => http.handler.notify.toolsChanged());
  guard.onShutdown(() => http.close());
  process.once('exit', () => temporaries.discard());
  if (audit !== undefined) guard.onShutdown(() => audit.dispose());
  const endpoint = await open(http.server, wanted, host);
  showToPages(setup, 'http', guard.children, (hook) => void guard.onShutdown(hook));
  return { ...endpoint, madeToken };
}

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
