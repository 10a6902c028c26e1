import { quoteForShell } from '../output/quote-for-shell.js';
import { pathOf, type KnownClient, type ServerEntry, type StdioEntry } from './clients/known-client.js';

/** What clients call this server, unless another name is given. */
export const DEFAULT_NAME = 'rootward';

const ASKS_FOR_TOKEN =
  'A server of rootward asks for a token: add --token and the one it printed or was given. None is needed if it was started with --insecure-no-token, or if this client signs in by OAuth.';

export interface RenderedEntry {
  /** The file to put it in, or where to type it. */
  readonly place: string;
  readonly text: string;
  readonly note: string | undefined;
}

/** A configuration to paste into a client. `own` runs this program from a shell. */
export async function renderEntry(
  client: KnownClient,
  server: ServerEntry,
  own: string,
): Promise<RenderedEntry> {
  if (server.kind === 'http' && client.remote !== undefined) {
    return { place: client.remote.place, text: server.url, note: client.remote.note };
  }
  return {
    place: client.place,
    text: (await renderFile(client, server)).trimEnd(),
    note: client.note?.(server) ?? missingToken(server) ?? missingFolders(client, server, `${own} config`),
  };
}

function missingToken(server: ServerEntry): string | undefined {
  return server.kind === 'http' && server.token === undefined ? ASKS_FOR_TOKEN : undefined;
}

/**
 * What to type for a client that names no folders, where the entry names none either: it would serve nothing. `command`
 * is what was typed, without folders.
 */
export function missingFolders(
  client: KnownClient,
  server: ServerEntry,
  command: string,
): string | undefined {
  if (server.kind !== 'stdio' || namesFolder(server) || client.needsFolders !== true) return undefined;
  const { name, args, wraps } = server;
  const line = [
    `${command} --client ${client.id}`,
    ...(name === DEFAULT_NAME ? [] : ['--name', name]),
    '.',
    ...(wraps === true ? args.slice(args.indexOf('--')).map(quoteForShell) : []),
  ].join(' ');
  return `This client does not report its folders: name them, for example the current one: ${line}`;
}

/** The same for a client whose configuration is JSON. */
export function renderJson(client: KnownClient, server: ServerEntry): string {
  const document = { ...client.around, [client.holder]: { [server.name]: client.entry(server) } };
  return JSON.stringify(document, undefined, 2);
}

/** A whole file that holds this one server. */
export async function renderFile(client: KnownClient, server: ServerEntry): Promise<string> {
  const entry = client.entry(server);
  switch (client.format) {
    case 'json':
      return `${renderJson(client, server)}\n`;
    case 'toml': {
      const { TOML_FORMAT } = await import('./formats/toml.js');
      return TOML_FORMAT.put('', { path: pathOf(client, server.name), value: entry }).text;
    }
    case 'yaml': {
      const { writeYaml } = await import('./formats/yaml.js');
      const servers = client.ownFile === true ? [entry] : { [server.name]: entry };
      return writeYaml({ ...client.around, [client.holder]: servers });
    }
  }
}

function namesFolder({ args, wraps }: StdioEntry): boolean {
  if (wraps === true) return args.slice(0, args.indexOf('--')).includes('--root');
  const last = args.at(-1) ?? '';
  return last !== 'rootward' && !last.endsWith('rootward.cjs');
}
