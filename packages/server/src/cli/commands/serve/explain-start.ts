import type { Settings } from '../../../settings/settings.js';
import { DEFAULT_PORT } from '../../../settings/values/option-values.js';
import { isAnyAddress } from '../../../serve/http/http-access.js';
import { workspaceWithoutClient, type ServerSetup } from '../../../serve/prepare-server.js';
import type { HttpEndpoint } from '../../../serve/http/http-endpoint.js';
import { VERSION } from '../../../version.js';
import { alignRows } from '../../output/align-rows.js';
import { CLIENT_IDS } from '@rootward/core/platform';
import { findClient } from '../../install/clients/known-clients.js';
import { renderJson } from '../../install/render-entry.js';
import { painter, type Paint } from '../../output/paint.js';
import type { Display } from '../../output/display.js';
import { showSnapshot } from '../../output/show-snapshot.js';

const SUGGESTIONS: readonly (readonly [args: string, does: string])[] = [
  ['install --client cursor --dry-run', 'what it would write into your client'],
  ['config --client cursor', 'a configuration to paste into your client'],
  ['--http', `serve over HTTP from here, on port ${DEFAULT_PORT}`],
  ['doctor', 'what it finds on this machine, and what is wrong'],
  ['--help', 'everything else'],
];

/** How the start of a server is described. */
export interface Explaining {
  readonly display: Display;
  /** Runs this program from a shell. */
  readonly own: string;
  /** With every source of the roots. */
  readonly verbose: boolean;
}

/** What to tell a person who started a server that waits for a client on stdin. */
export function explainStdio(setup: ServerSetup, { display, own, verbose }: Explaining): string {
  using workspace = workspaceWithoutClient(setup);
  const paint = painter(display);
  const rows = SUGGESTIONS.map(([args, does]) => [{ text: `${own} ${args}`, tone: 'name' } as const, does]);
  return `${paint('title', `rootward ${VERSION} is an MCP server`)}: a client starts it and speaks to it over stdin and stdout.
Nobody does that on a terminal, so it stops here. What you may want instead:

${alignRows(rows, { paint, columns: display.columns, indent: '  ' })}
Started here, and with a client that names no folders, it would serve:
${showSnapshot(workspace, display, { indent: '  ', verbose })}`;
}

/** What to tell a person who started a server over HTTP: first what to paste, then what is served. */
export function explainHttp(setup: ServerSetup, place: HttpEndpoint, how: Explaining): string {
  const { display, own, verbose } = how;
  using workspace = workspaceWithoutClient(setup);
  const paint = painter(display);
  const { settings } = setup;
  const { url, wantedPort, madeToken } = place;
  const { publicUrl = url } = settings;
  const token = madeToken ?? (settings.tokens.length > 0 ? '<your token>' : undefined);
  const text = renderJson(findClient('claude-code', 'print a configuration'), {
    kind: 'http',
    name: 'rootward',
    url: publicUrl,
    token,
  });
  const moved = wantedPort === undefined ? '' : ` (port ${wantedPort} was taken)`;
  // Without the token itself: what is pasted into a shell stays in its history.
  const others = [
    own,
    'config --client vscode --url',
    publicUrl,
    ...(token === undefined ? [] : ['--token TOKEN']),
  ];
  const added =
    token === undefined
      ? ''
      : `; put ${madeToken === undefined ? 'your token' : 'the token above'} in place of TOKEN`;
  const header = token === undefined ? '' : ', with the header "Authorization" as above';
  return `rootward ${VERSION} serves MCP at ${paint('name', url)}${moved}
Paste this into .mcp.json of a project, for Claude Code:

${text}

This command prints what another client takes, here VS Code${added}:
  ${paint('name', others.join(' '))}
It knows ${CLIENT_IDS.join(', ')}.
Anything else that speaks MCP: Streamable HTTP at that address${header}.

It serves:
${showSnapshot(workspace, display, { indent: '  ', verbose })}${remarks(settings, place, paint)}${paint('title', 'Stop it with Ctrl+C.')}
`;
}

/** Who can reach it and get in, as far as that is worth a word; a line each. */
function remarks(settings: Settings, { url, madeToken }: HttpEndpoint, paint: Paint): string {
  const lines = [
    ...(isAnyAddress(settings.host)
      ? [
          `It listens on every address of this machine; from another machine, use its name or address instead of ${new URL(url).hostname}.`,
        ]
      : []),
    ...(madeToken === undefined
      ? []
      : ['A new token is generated at every start and shown only here; set ROOTWARD_TOKEN to keep one.']),
    ...(settings.oauth === undefined
      ? []
      : [`Clients sign in at ${settings.oauth.issuer}: it asks for an access token of that issuer.`]),
    ...(settings.insecureNoToken
      ? [paint('doubtful', 'Anyone on this machine can connect: no token is asked for.')]
      : []),
  ];
  return lines.map((line) => `${line}\n`).join('');
}
