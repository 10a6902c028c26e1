import { DEFAULT_PORT } from '../../../settings/values/option-values.js';
import { isAnyAddress } from '../../../serve/http/http-access.js';
import { workspaceWithoutClient, type ServerSetup } from '../../../serve/prepare-server.js';
import type { HttpEndpoint } from '../../../serve/http/http-endpoint.js';
import { VERSION } from '../../../version.js';
import { alignRows } from '../../output/align-rows.js';
import { findClient } from '../../install/clients/known-clients.js';
import { renderJson } from '../../install/render-entry.js';
import { painter } from '../../output/paint.js';
import type { Display } from '../../output/display.js';
import { showSnapshot } from '../../output/show-snapshot.js';

const SUGGESTIONS: readonly (readonly [args: string, does: string])[] = [
  ['install --client NAME', 'put it into the configuration of your client'],
  ['config --client NAME', 'a configuration to paste into your client'],
  ['--http', `serve over HTTP from here, on port ${DEFAULT_PORT}`],
  ['doctor', 'what it finds on this machine, and what is wrong'],
  ['--help', 'everything else'],
];

/** What to tell a person who started a server that waits for a client on stdin. `own` runs this program from a shell. */
export function explainStdio(setup: ServerSetup, display: Display, own: string): string {
  using workspace = workspaceWithoutClient(setup);
  const paint = painter(display);
  const rows = SUGGESTIONS.map(([args, does]) => [{ text: `${own} ${args}`, tone: 'name' } as const, does]);
  return `${paint('title', `rootward ${VERSION} is an MCP server`)}: a client starts it and speaks to it over stdin and stdout.
Nobody does that on a terminal, so it stops here. What you may want instead:

${alignRows(rows, { paint, columns: display.columns, indent: '  ' })}
Started here, and with a client that names no folders, it would serve:
${showSnapshot(workspace, display, '  ')}`;
}

/** What to tell a person who started a server over HTTP. */
export function explainHttp(setup: ServerSetup, place: HttpEndpoint, display: Display, own: string): string {
  using workspace = workspaceWithoutClient(setup);
  const paint = painter(display);
  const { settings } = setup;
  const { url, wantedPort, madeToken } = place;
  const token = madeToken ?? (settings.insecureNoToken ? undefined : '<your token>');
  const text = renderJson(findClient('claude-code', 'print a configuration'), {
    kind: 'http',
    name: 'rootward',
    url,
    token,
  });
  const moved = wantedPort === undefined ? '' : ` (port ${wantedPort} was taken)`;
  const secret =
    madeToken === undefined
      ? ''
      : 'A new token is generated at every start and shown only here; set ROOTWARD_TOKEN to keep one.\n';
  const open = settings.insecureNoToken
    ? `${paint('doubtful', 'Anyone on this machine can connect: no token is asked for.')}\n`
    : '';
  const everywhere = isAnyAddress(settings.host)
    ? `It listens on every address of this machine; from another machine, use its name or address instead of ${new URL(url).hostname}.\n`
    : '';
  const others = `${own} config --client NAME --url URL${token === undefined ? '' : ' --token TOKEN'}`;
  return `rootward ${VERSION} serves MCP at ${paint('name', url)}${moved}
${showSnapshot(workspace, display, '  ')}
To connect a client (this is for .mcp.json of Claude Code; "${others}" has others):

${text}

${everywhere}${secret}${open}${paint('title', 'Stop it with Ctrl+C.')}
`;
}
