import { readSources } from '@rootward/core';
import { expandHome } from '@rootward/core/platform';
import { resolve } from 'node:path';
import { RootwardServerError } from '../../error.js';
import { DEFAULT_PORT } from '../../settings/values/option-values.js';
import type { ServerEntry, StdioEntry } from '../install/clients/known-client.js';
import { findClient } from '../install/clients/known-clients.js';
import { ownCommandHere, ownProgram } from '../install/own-program.js';
import { DEFAULT_NAME, renderEntry } from '../install/render-entry.js';
import { painter } from '../output/paint.js';
import { FINE, printJson, displayFor, type Terminal } from '../output/terminal.js';

/** What the command line has beside the options. */
export interface CommandWords {
  readonly directories: readonly string[];
  /** The server to wrap, after `--`. */
  readonly wrapped: readonly string[];
}

/** Prints a configuration to paste into a client. */
export async function runConfig(
  client: string | undefined,
  server: ServerEntry,
  { json }: { readonly json: boolean },
  terminal: Terminal,
): Promise<number> {
  const known = findClient(client, 'print a configuration');
  const { place, text, note } = await renderEntry(known, server, ownCommandHere(terminal.start));
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

/** What was asked for; refuses what the configuration would silently leave out. */
export async function readServer(
  words: CommandWords,
  { url, token, name }: Readonly<Record<'url' | 'token' | 'name', string | undefined>>,
  around: Terminal['start'],
): Promise<ServerEntry> {
  if (url === undefined) {
    if (token === undefined) return entryFor(words, name, around);
    throw new RootwardServerError('usage', 'Cannot use --token: it belongs to a server named with --url');
  }
  const [extra] = [...words.directories, ...words.wrapped];
  if (extra !== undefined) {
    throw new RootwardServerError(
      'usage',
      `Cannot name ${JSON.stringify(extra)}: a server named with --url got its folders when it was started`,
    );
  }
  if (!/^https?:$/.test(URL.canParse(url) ? new URL(url).protocol : '')) {
    throw new RootwardServerError(
      'usage',
      `Cannot use ${JSON.stringify(url)} as --url: expected an address such as http://127.0.0.1:${DEFAULT_PORT}/mcp`,
    );
  }
  return { kind: 'http', name: readName(name), url, token };
}

/** How a client starts this program with these folders, or in front of another server. */
export async function entryFor(
  { directories, wrapped }: CommandWords,
  name: string | undefined,
  { directory, home, program }: Terminal['start'],
): Promise<StdioEntry> {
  const unusable = directories.find((path) => /\p{Cc}/u.test(path));
  if (unusable !== undefined) {
    throw new RootwardServerError(
      'usage',
      `Cannot name ${JSON.stringify(unusable)}: it holds a control character, and no server takes it as a root`,
    );
  }
  // The client starts the server somewhere else. What it replaces itself, such as `${workspaceFolder}`, stays.
  const folders = directories.map((path) =>
    isReplaced(path) ? path : resolve(directory, expandHome(path, home)),
  );
  await requireUsable(
    folders.filter((path) => !isReplaced(path)),
    home,
  );
  const { command, args } = ownProgram(program);
  if (wrapped.length === 0)
    return { kind: 'stdio', name: readName(name), command, args: [...args, ...folders] };
  if (name === undefined) {
    throw new RootwardServerError(
      'usage',
      'Cannot wrap a server without a name: add --name and what the client calls it',
    );
  }
  const roots = folders.flatMap((folder) => ['--root', folder]);
  const all = [...args, 'wrap', ...roots, '--', ...wrapped];
  return { kind: 'stdio', name: readName(name), command, args: all, wraps: true };
}

function isReplaced(path: string): boolean {
  return path.startsWith('${');
}

/** Throws for a folder with which the server would not start. */
async function requireUsable(roots: readonly string[], home: string): Promise<void> {
  await readSources({ roots, home, environment: {}, hints: false, origins: { roots: 'an argument' } });
}

/** Clients put it into tool names, and some accept no other characters there. */
function readName(name: string = DEFAULT_NAME): string {
  if (/^[\w-]{1,40}$/.test(name)) return name;
  throw new RootwardServerError(
    'usage',
    `Cannot use ${JSON.stringify(name)} as --name: expected up to 40 letters, digits, - and _`,
  );
}
