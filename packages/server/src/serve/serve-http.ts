import { ProcessGuard } from '@rootward/mcp';
import { createServerFactory } from './create-server.js';
import { chooseTokens, open } from './http-endpoint.js';
import type { HttpEndpoint } from './http-endpoint.js';
import { createHttpServer } from './http-server.js';
import type { ServerSetup } from './prepare-server.js';
import type { HttpPort } from '../settings/settings.js';
import { showToPages } from './show-to-pages.js';

/** Serves any number of clients over HTTP until a signal comes. */
export async function serveHttp(
  setup: ServerSetup,
  wanted: HttpPort,
  onShutdown: () => Promise<void>,
): Promise<HttpEndpoint> {
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
  guard.onShutdown(onShutdown);
  process.once('exit', () => temporaries.discard());
  if (audit !== undefined) guard.onShutdown(() => audit.dispose());
  const endpoint = await open(http.server, wanted, host);
  showToPages(setup, 'http', guard.children, (hook) => void guard.onShutdown(hook));
  return { ...endpoint, madeToken };
}
