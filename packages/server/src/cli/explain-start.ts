import { Workspace } from '@rootward/core';
import type { Serving } from '../serve/serving.js';
import type { HttpPlace } from '../serve/serve-http.js';
import { VERSION } from '../version.js';
import { findClient } from './commands/config.js';

/** What to tell a person who started a server that waits for a client on stdin. */
export function explainStdio({ sources }: Serving): string {
  using workspace = new Workspace({ sources });
  return `rootward ${VERSION} is an MCP server: a client starts it and speaks to it over stdin and stdout.
Nobody does that on a terminal, so it stops here. What you may want instead:

  rootward config --client NAME   a configuration to paste into your client
  rootward --http                 serve over HTTP from here
  rootward doctor                 what it finds on this machine, and what is wrong
  rootward --help                 everything else

Started here, and with a client that names no folders, it would serve:
${indent(workspace.explain())}
`;
}

/** What to tell a person who started a server over HTTP. */
export function explainHttp({ sources, settings }: Serving, place: HttpPlace): string {
  using workspace = new Workspace({ sources });
  const { url, wantedPort, madeToken } = place;
  const token = madeToken ?? (settings.insecureNoToken ? undefined : '<your token>');
  const { text } = findClient('claude-code').configure({ kind: 'http', url, token });
  const moved = wantedPort === undefined ? '' : ` (port ${wantedPort} was taken)`;
  const secret =
    madeToken === undefined
      ? ''
      : 'The token is made anew at every start and shown only here; set ROOTWARD_TOKEN to keep one.\n';
  const open = settings.insecureNoToken ? 'Anyone on this machine can connect: no token is asked for.\n' : '';
  return `rootward ${VERSION} serves MCP at ${url}${moved}
${indent(workspace.explain())}

To connect a client (this is for .mcp.json of Claude Code; "rootward config --client NAME --url URL" has others):

${text}

${secret}${open}Stop it with Ctrl+C.
`;
}

function indent(text: string): string {
  return text
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n');
}
