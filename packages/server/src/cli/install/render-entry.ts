import { pathOf, type KnownClient, type ServerEntry } from './clients/known-client.js';

const NAMES_FOLDERS = 'This client does not report its folders: pass them as arguments after the program.';

export interface RenderedEntry {
  /** The file to put it in, or where to type it. */
  readonly place: string;
  readonly text: string;
  readonly note: string | undefined;
}

/** A configuration to paste into a client. */
export async function renderEntry(client: KnownClient, server: ServerEntry): Promise<RenderedEntry> {
  if (server.kind === 'http' && client.remote !== undefined) {
    return { place: client.remote.place, text: server.url, note: client.remote.note };
  }
  return {
    place: client.place,
    text: (await renderFile(client, server)).trimEnd(),
    note: client.note?.(server) ?? missingFolders(client, server),
  };
}

/** What to add for a client that names no folders, where the entry names none either: it would serve nothing. */
export function missingFolders(client: KnownClient, server: ServerEntry): string | undefined {
  const isBare = server.kind === 'stdio' && !namesFolder(server);
  return isBare && client.needsFolders === true ? NAMES_FOLDERS : undefined;
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

function namesFolder({ args }: { readonly args: readonly string[] }): boolean {
  const last = args.at(-1) ?? '';
  return last !== 'rootward' && !last.endsWith('rootward.cjs');
}
