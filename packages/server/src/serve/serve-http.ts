import { ProcessGuard, type PrincipalLimits } from '@rootward/mcp';
import { createServerFactory } from './create-server.js';
import { chooseTokens, open, type HttpEndpoint } from './http/http-endpoint.js';
import { createHttpServer } from './http/http-server.js';
import { AccessTokens } from './oauth/access-tokens.js';
import type { ServerSetup } from './prepare-server.js';
import type { HttpPort } from '../settings/settings.js';
import type { HttpLimits } from '../settings/values/option-values.js';
import { showToPages } from './show-to-pages.js';

/** A session costs little once its server is given back, and a new one takes about a millisecond. */
const PARK_MS = 60_000;
/** 10 MB of servers. Those that are shared come from other processes all the time, and stay a minute. */
const MAX_RESTING = 500;

/** Serves any number of clients over HTTP until a signal comes. */
export async function serveHttp(
  setup: ServerSetup,
  wanted: HttpPort,
  onShutdown: () => Promise<void>,
): Promise<HttpEndpoint> {
  const { settings, log, audit, catalogue, temporaries } = setup;
  const { host, publicUrl, limits, oauth } = settings;
  const { tokens, madeToken } = chooseTokens({
    tokens: settings.tokens,
    insecureNoToken: settings.insecureNoToken || oauth !== undefined,
  });
  const guard = new ProcessGuard({ watchParent: false });
  const factory = await createServerFactory(setup, {
    children: guard.children,
    onShutdown: (hook) => void guard.onShutdown(hook),
  });
  const { store } = setup;
  const accessTokens = oauth === undefined ? undefined : new AccessTokens({ ...oauth, log });
  const http = createHttpServer(factory, {
    host,
    tokens,
    log,
    publicUrl,
    accessTokens,
    handler: {
      ...(store !== undefined && { sessionStore: store.sessions, revocations: store.revocations }),
      ...(limits !== undefined && { limits: principalLimits(limits) }),
      parkAfter: PARK_MS,
      ...(store === undefined && { maxResting: MAX_RESTING }),
    },
    unready: () => store?.problem(),
  });
  // Servers that live for one request cannot tell of changes; whoever listens over HTTP is told for them. It also keeps
  // the folder watched, so that each of them sees it as it is.
  const { notify } = http.handler;
  catalogue?.onDidChange(() => {
    notify.toolsChanged();
    notify.promptsChanged();
    notify.resourcesChanged();
  });
  catalogue?.onDidChangeResource((uri) => notify.resourceUpdated(uri));
  guard.drainWith(() => http.drain());
  guard.onShutdown(async () => {
    accessTokens?.dispose();
    await http.close();
    await store?.sessions.close();
  });
  guard.onShutdown(onShutdown);
  process.once('exit', () => temporaries.discard());
  if (audit !== undefined) guard.onShutdown(() => audit.dispose());
  const endpoint = await open(http.server, wanted, host);
  accessTokens?.prepare();
  showToPages(setup, 'http', guard.children, (hook) => void guard.onShutdown(hook));
  return { ...endpoint, madeToken };
}

function principalLimits({ requests, sessions, bytes }: HttpLimits): PrincipalLimits {
  return {
    ...(requests !== undefined && { requestsPerSecond: requests }),
    ...(sessions !== undefined && { sessions }),
    ...(bytes !== undefined && { bytesPerMinute: bytes }),
  };
}
