import type { ProcessGuard } from '@rootward/mcp/host';
import { emptyFolderOnUse, noiseTo, WrapEndpoint, type WrapStdioOptions } from '@rootward/wrap';
import { Draining } from '../../../serve/http/draining.js';
import { createGuardedServer } from '../../../serve/http/guarded-server.js';
import { chooseTokens, open, type HttpEndpoint } from '../../../serve/http/http-endpoint.js';
import type { HttpPort, Settings } from '../../../settings/settings.js';

/** Serves a wrapped server over HTTP until a signal comes. */
export async function wrapHttp(
  options: Pick<
    WrapStdioOptions,
    'prepared' | 'template' | 'policy' | 'filter' | 'log' | 'contain' | 'watch' | 'shown' | 'observer'
  > & {
    readonly directory: string;
    readonly guard: ProcessGuard;
    readonly share: boolean;
  },
  settings: Pick<Settings, 'host' | 'tokens' | 'insecureNoToken' | 'publicUrl'>,
  wanted: HttpPort,
): Promise<HttpEndpoint> {
  const { tokens, madeToken } = chooseTokens(settings);
  const { guard } = options;
  const endpoint = new WrapEndpoint({
    ...options,
    children: guard.children,
    noise: noiseTo(process.stderr),
    emptyFolder: emptyFolderOnUse(),
  });
  const draining = new Draining();
  const server = createGuardedServer(
    (request, response) => {
      draining.follow(request, response);
      endpoint.handle(request, response, request.auth?.clientId ?? '').catch((error: unknown) => {
        options.log.debug('request not served', { error: String(error) });
        response.destroy();
      });
    },
    {
      host: settings.host,
      tokens,
      log: options.log,
      publicUrl: settings.publicUrl,
      unready: () => draining.unready(),
    },
  );
  guard.drainWith(() => draining.drain());
  guard.onShutdown(() => {
    endpoint.close();
    server.close();
    server.closeAllConnections();
  });
  return { ...(await open(server, wanted, settings.host)), madeToken };
}
