import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { findProgram, folderOf, opencodeFolder, type ClientId } from '@rootward/core/platform';
import { RootwardServerError } from '../../error.js';
import { quoteForShell } from '../output/quote-for-shell.js';
import type { InstallScope } from './clients/scopes.js';
import type { ClientPlaces } from './clients/client-places.js';
import type { Insertion } from './formats/edit.js';
import { claudeCodeHookFor, claudeCodeInsertion } from './hooks/claude-code.js';
import { geminiHookScript, geminiInsertion } from './hooks/gemini-cli.js';
import { opencodePlugin } from './hooks/opencode.js';
import {
  filesOf,
  pathOf,
  scopesOf,
  type FormatName,
  type KnownClient,
  type StdioEntry,
} from './clients/known-client.js';
import { renderFile } from './render-entry.js';

/** One thing to put into place: an entry in a file that others write too, or a file of our own. */
export type Part =
  | {
      readonly kind: 'entry';
      readonly file: string;
      readonly format: FormatName;
      readonly insertion: Insertion;
      /** What a new file holds beside it. */
      readonly around: Readonly<Record<string, unknown>>;
    }
  | { readonly kind: 'file'; readonly file: string; readonly text: string };

/** The first line of our own files, which identifies them. */
export const OWN_FILE_MARK = 'Written by "rootward install"';

/** Everything that belongs to one server in one client. */
export async function partsOf(
  client: KnownClient,
  server: StdioEntry,
  scope: InstallScope,
  places: ClientPlaces,
): Promise<readonly Part[]> {
  const candidates = filesOf(client, scope, places);
  const [first] = candidates;
  if (first === undefined) {
    const other = scopesOf(client).join(', ');
    throw new RootwardServerError(
      'usage',
      `Cannot use --scope ${scope} for ${client.name}: it takes ${other} only`,
    );
  }
  const file = candidates.find((candidate) => existsSync(candidate)) ?? first;
  if (client.ownFile === true) {
    const text = `# ${OWN_FILE_MARK}\n${await renderFile(client, server)}`;
    return [{ kind: 'file', file: join(first, `${server.name}.yaml`), text }];
  }
  const entry: Part = {
    kind: 'entry',
    file,
    format: client.format,
    insertion: { path: pathOf(client, server.name), value: client.entry(server) },
    around: client.around ?? {},
  };
  // Hooks that change arguments know those of our tools only.
  if (server.wraps === true && client.id !== 'claude-code') return [entry];
  return [entry, ...((await HOOKS[client.id]?.({ name: server.name, scope, places, file })) ?? [])];
}

interface HookPlace {
  readonly name: string;
  readonly scope: InstallScope;
  readonly places: ClientPlaces;
  /** The file that holds the server. */
  readonly file: string;
}

/** Only some clients have hooks; the others report their folder themselves, or start one server per folder. */
const HOOKS: Readonly<
  Partial<Record<ClientId, (place: HookPlace) => readonly Part[] | Promise<readonly Part[]>>>
> = {
  'claude-code': async ({ name, scope, places }) => {
    const kind = claudeCodeHookFor(await versionOf('claude', places));
    if (kind === undefined) return [];
    const folder =
      scope === 'project'
        ? join(places.project, '.claude')
        : folderOf(places, 'CLAUDE_CONFIG_DIR', '.claude');
    return [json(join(folder, 'settings.json'), claudeCodeInsertion(name, kind))];
  },
  'gemini-cli': ({ name, scope, file }) => {
    const script = join(dirname(file), 'hooks', 'rootward-paths.cjs');
    const spelled =
      scope === 'project' ? '"$GEMINI_PROJECT_DIR"/.gemini/hooks/rootward-paths.cjs' : quoteForShell(script);
    return [
      json(file, geminiInsertion(name, spelled)),
      { kind: 'file', file: script, text: geminiHookScript() },
    ];
  },
  opencode: ({ name, scope, places }) => {
    const folder = scope === 'project' ? join(places.project, '.opencode') : opencodeFolder(places);
    return [{ kind: 'file', file: join(folder, 'plugins', `${name}-paths.js`), text: opencodePlugin(name) }];
  },
};

const VERSION_TIMEOUT_MS = 10_000;

/** What a client says when asked for its version; undefined where it is not on `PATH` or does not answer. */
async function versionOf(
  program: string,
  { project, environment }: ClientPlaces,
): Promise<string | undefined> {
  const found = findProgram(program, { environment, roots: [{ path: project }] });
  if (found === undefined) return undefined;
  try {
    const options = { timeout: VERSION_TIMEOUT_MS, cwd: '/', env: { ...environment } };
    return (await promisify(execFile)(found, ['--version'], options)).stdout;
  } catch {
    return undefined;
  }
}

function json(file: string, insertion: Insertion): Part {
  return { kind: 'entry', file, format: 'json', insertion, around: {} };
}
