import { resolve } from 'node:path';
import { RootwardServerError } from '../../error.js';
import { DEFAULT_PORT } from '../../settings/option-values.js';
import { expandHome } from '../../settings/expand-home.js';
import { CLIENT_IDS } from '../clients/client-configurations.js';
import type { ClientConnection } from '../clients/client-configurations.js';
import { findClient } from '../clients/find-client.js';
import { painter } from '../output/paint.js';
import { FINE, printJson, displayFor } from '../output/terminal.js';
import type { Terminal } from '../output/terminal.js';

/** Prints a configuration to paste into a client. */
export function runConfig(
  client: string | undefined,
  connection: ClientConnection,
  { json }: { readonly json: boolean },
  terminal: Terminal,
): number {
  if (client === undefined) {
    throw new RootwardServerError(
      'usage',
      `Cannot print a configuration: name the client with --client (${CLIENT_IDS.join(', ')})`,
    );
  }
  const known = findClient(client);
  const { place, text, note } = known.configure(fromHere(connection, terminal.start));
  if (json) {
    printJson(terminal, { client: known.id, place, text, ...(note !== undefined && { note }) });
    return FINE;
  }
  const paint = painter(displayFor(terminal, 'err'));
  terminal.err(`${paint('quiet', `# ${place}`)}\n`);
  terminal.out(`${text}\n`);
  if (note !== undefined) terminal.err(`${paint('quiet', `# ${note}`)}\n`);
  return FINE;
}

/** What was asked for; refuses what would be left out of the configuration without a word. */
export function readConnection(
  directories: readonly string[],
  url: string | undefined,
  token: string | undefined,
): ClientConnection {
  if (url === undefined) {
    const unusable = directories.find((directory) => /\p{Cc}/u.test(directory));
    if (unusable !== undefined) {
      throw new RootwardServerError(
        'usage',
        `Cannot name ${JSON.stringify(unusable)}: it holds a control character, and no server takes it as a root`,
      );
    }
    if (token === undefined) return { kind: 'stdio', args: directories };
    throw new RootwardServerError('usage', 'Cannot use --token: it belongs to a server named with --url');
  }
  if (directories.length > 0) {
    throw new RootwardServerError(
      'usage',
      `Cannot name ${JSON.stringify(directories[0])}: a server named with --url got its folders when it was started`,
    );
  }
  if (!/^https?:$/.test(URL.canParse(url) ? new URL(url).protocol : '')) {
    throw new RootwardServerError(
      'usage',
      `Cannot use ${JSON.stringify(url)} as --url: expected an address such as http://127.0.0.1:${DEFAULT_PORT}/mcp`,
    );
  }
  return { kind: 'http', url, token };
}

/** The client starts the server somewhere else. What the client replaces itself, such as `${workspaceFolder}`, stays. */
function fromHere(connection: ClientConnection, { directory, home }: Terminal['start']): ClientConnection {
  if (connection.kind === 'http') return connection;
  return {
    kind: 'stdio',
    args: connection.args.map((path) =>
      path.startsWith('${') ? path : resolve(directory, expandHome(path, home)),
    ),
  };
}
